// Conversions between units of measurement. A unit is a factor to its quantity's base unit, and for
// temperatures an offset; a tilt is the sine of its angle. Names are those of Kusto: singular, in
// any case.

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

struct Unit {
  std::string_view name;
  // In long doubles, so that a foot is 12 inches after all: 0.3048 / 0.0254 in doubles is not.
  long double factor;      // base units in one unit
  long double offset = 0;  // added before the factor applies
  bool sine = false;       // of the base unit, an angle
};

constexpr long double kPi = 3.14159265358979323846L;

constexpr Unit kAngles[] = {
    {"Radian", 1},
    {"Degree", kPi / 180},
    {"Gradian", kPi / 200},
    {"Arcminute", kPi / 10800},
    {"Arcsecond", kPi / 648000},
    {"Revolution", 2 * kPi},
    {"Milliradian", 1e-3L},
    {"Microradian", 1e-6L},
    {"Centiradian", 1e-2L},
    {"Deciradian", 1e-1L},
    {"Millidegree", kPi / 180e3L},
    {"Microdegree", kPi / 180e6L},
    {"Nanodegree", kPi / 180e9L},
    {"Nanoradian", 1e-9L},
    {"NatoMil", kPi / 3200},
    {"Tilt", 1, 0, true},
};
constexpr Unit kEnergies[] = {
    {"Joule", 1},
    {"Kilojoule", 1e3L},
    {"Megajoule", 1e6L},
    {"Gigajoule", 1e9L},
    {"Calorie", 4.184L},
    {"Kilocalorie", 4184},
    {"WattHour", 3600},
    {"KilowattHour", 3.6e6L},
    {"MegawattHour", 3.6e9L},
    {"GigawattHour", 3.6e12L},
    {"ElectronVolt", 1.602176634e-19L},
    {"Erg", 1e-7L},
    {"FootPound", 1.3558179483314004L},
    {"BritishThermalUnit", 1055.05585262L},
    {"KilobritishThermalUnit", 1055.05585262e3L},
    {"MegabritishThermalUnit", 1055.05585262e6L},
    {"GigabritishThermalUnit", 1055.05585262e9L},
    {"KiloelectronVolt", 1.602176634e-16L},
    {"MegaelectronVolt", 1.602176634e-13L},
    {"GigaelectronVolt", 1.602176634e-10L},
    {"TeraelectronVolt", 1.602176634e-7L},
    {"Millijoule", 1e-3L},
    {"Megacalorie", 4.184e6L},
    {"WattDay", 86400},
    {"KilowattDay", 86400e3L},
    {"MegawattDay", 86400e6L},
    {"GigawattDay", 86400e9L},
    {"TerawattDay", 86400e12L},
    {"TerawattHour", 3.6e15L},
    {"HorsepowerHour", 2684519.537696172792L},
    {"ThermEc", 105505585.262L},
    {"ThermImperial", 105505585.257L},
    {"ThermUs", 105480400},
    {"DecathermEc", 1055055852.62L},
    {"DecathermImperial", 1055055852.57L},
    {"DecathermUs", 1054804000},
};
constexpr Unit kForces[] = {
    {"Newton", 1},
    {"Kilonewton", 1e3L},
    {"Meganewton", 1e6L},
    {"Millinewton", 1e-3L},
    {"Micronewton", 1e-6L},
    {"Dyn", 1e-5L},
    {"KilogramForce", 9.80665L},
    {"TonneForce", 9806.65L},
    {"PoundForce", 4.4482216152605L},
    {"OunceForce", 0.27801385095378125L},
    {"Poundal", 0.138254954376L},
    {"Decanewton", 10},
    {"KiloPond", 9.80665L},
    {"KilopoundForce", 4448.2216152605L},
    {"ShortTonForce", 8896.443230521L},
};
constexpr Unit kLengths[] = {
    {"Meter", 1},
    {"Kilometer", 1e3L},
    {"Hectometer", 1e2L},
    {"Decimeter", 1e-1L},
    {"Centimeter", 1e-2L},
    {"Millimeter", 1e-3L},
    {"Micrometer", 1e-6L},
    {"Nanometer", 1e-9L},
    {"Angstrom", 1e-10L},
    {"Inch", 0.0254L},
    {"Foot", 0.3048L},
    {"Yard", 0.9144L},
    {"Mile", 1609.344L},
    {"NauticalMile", 1852},
    {"Fathom", 1.8288L},
    {"Chain", 20.1168L},
    {"Furlong", 201.168L},
    {"AstronomicalUnit", 149597870700.0L},
    {"LightYear", 9460730472580800.0L},
    {"Parsec", 3.0856775814913674e16L},
    {"Decameter", 10},
    {"Microinch", 0.0254e-6L},
    {"Mil", 0.0254e-3L},
    {"Hand", 0.1016L},
    {"Shackle", 27.432L},
    {"DataMile", 1828.8L},
    {"Twip", 0.0254L / 1440},
    {"DtpPoint", 0.0254L / 72},
    {"DtpPica", 0.0254L / 6},
    {"PrinterPoint", 0.0254L * 0.013837L},
    {"PrinterPica", 0.0254L * 0.166044L},
    {"UsSurveyFoot", 1200.0L / 3937},
    {"KilolightYear", 9460730472580800e3L},
    {"MegalightYear", 9460730472580800e6L},
    {"Kiloparsec", 3.0856775814913674e19L},
    {"Megaparsec", 3.0856775814913674e22L},
    {"SolarRadius", 6.957e8L},
};
constexpr Unit kMasses[] = {
    {"Kilogram", 1},
    {"Gram", 1e-3L},
    {"Milligram", 1e-6L},
    {"Microgram", 1e-9L},
    {"Nanogram", 1e-12L},
    {"Tonne", 1e3L},
    {"Pound", 0.45359237L},
    {"Ounce", 0.028349523125L},
    {"Stone", 6.35029318L},
    {"Grain", 6.479891e-5L},
    {"LongTon", 1016.0469088L},
    {"ShortTon", 907.18474L},
    {"Decagram", 1e-2L},
    {"Hectogram", 1e-1L},
    {"Decigram", 1e-4L},
    {"Centigram", 1e-5L},
    {"Kilotonne", 1e6L},
    {"Megatonne", 1e9L},
    {"Kilopound", 453.59237L},
    {"Megapound", 453592.37L},
    {"ShortHundredweight", 45.359237L},
    {"LongHundredweight", 50.80234544L},
    {"Slug", 14.593902937206364829L},
    {"EarthMass", 5.9722e24L},
    {"SolarMass", 1.98847e30L},
};
constexpr Unit kSpeeds[] = {
    {"MeterPerSecond", 1},
    {"KilometerPerHour", 1 / 3.6L},
    {"KilometerPerSecond", 1e3L},
    {"CentimeterPerSecond", 1e-2L},
    {"MillimeterPerSecond", 1e-3L},
    {"FootPerSecond", 0.3048L},
    {"InchPerSecond", 0.0254L},
    {"YardPerSecond", 0.9144L},
    {"MilePerHour", 0.44704L},
    {"Knot", 1852.0L / 3600},
    {"MeterPerMinute", 1.0L / 60},
    {"MeterPerHour", 1.0L / 3600},
    {"CentimeterPerMinute", 1e-2L / 60},
    {"CentimeterPerHour", 1e-2L / 3600},
    {"DecimeterPerSecond", 1e-1L},
    {"DecimeterPerMinute", 1e-1L / 60},
    {"MillimeterPerMinute", 1e-3L / 60},
    {"MillimeterPerHour", 1e-3L / 3600},
    {"MicrometerPerSecond", 1e-6L},
    {"MicrometerPerMinute", 1e-6L / 60},
    {"NanometerPerSecond", 1e-9L},
    {"NanometerPerMinute", 1e-9L / 60},
    {"KilometerPerMinute", 1e3L / 60},
    {"FootPerMinute", 0.3048L / 60},
    {"FootPerHour", 0.3048L / 3600},
    {"InchPerMinute", 0.0254L / 60},
    {"InchPerHour", 0.0254L / 3600},
    {"YardPerMinute", 0.9144L / 60},
    {"YardPerHour", 0.9144L / 3600},
    {"UsSurveyFootPerSecond", 1200.0L / 3937},
    {"UsSurveyFootPerMinute", 20.0L / 3937},
    {"UsSurveyFootPerHour", 1.0L / 11811},
};
constexpr Unit kTemperatures[] = {
    {"Kelvin", 1},
    {"DegreeCelsius", 1, 273.15L},
    {"DegreeFahrenheit", 5.0L / 9, 459.67L},
    {"DegreeRankine", 5.0L / 9},
    {"DegreeReaumur", 1.25L, 218.52L},
    {"MillidegreeCelsius", 1e-3L, 273150},
    {"DegreeDelisle", -2.0L / 3, -559.725L},
    {"DegreeNewton", 100.0L / 33, 90.1395L},
    {"DegreeRoemer", 40.0L / 21, 135.90375L},
    {"SolarTemperature", 5778},
};
constexpr Unit kVolumes[] = {
    {"CubicMeter", 1},
    {"CubicDecimeter", 1e-3L},
    {"CubicCentimeter", 1e-6L},
    {"CubicMillimeter", 1e-9L},
    {"CubicKilometer", 1e9L},
    {"Liter", 1e-3L},
    {"Hectoliter", 1e-1L},
    {"Deciliter", 1e-4L},
    {"Centiliter", 1e-5L},
    {"Milliliter", 1e-6L},
    {"Microliter", 1e-9L},
    {"CubicInch", 1.6387064e-5L},
    {"CubicFoot", 0.028316846592L},
    {"CubicYard", 0.764554857984L},
    {"UsGallon", 3.785411784e-3L},
    {"UsQuart", 9.46352946e-4L},
    {"UsPint", 4.73176473e-4L},
    {"UsOunce", 2.95735295625e-5L},
    {"ImperialGallon", 4.54609e-3L},
    {"ImperialPint", 5.6826125e-4L},
    {"ImperialOunce", 2.84130625e-5L},
    {"OilBarrel", 0.158987294928L},
    {"CubicHectometer", 1e6L},
    {"CubicMicrometer", 1e-18L},
    {"CubicMile", 4168181825.440579584L},
    {"Decaliter", 1e-2L},
    {"Kiloliter", 1},
    {"Megaliter", 1e3L},
    {"KilocubicMeter", 1e3L},
    {"HectocubicMeter", 1e2L},
    {"HectocubicFoot", 2.8316846592L},
    {"KilocubicFoot", 28.316846592L},
    {"MegacubicFoot", 28316.846592L},
    {"KiloimperialGallon", 4.54609L},
    {"MegaimperialGallon", 4546.09L},
    {"KilousGallon", 3.785411784L},
    {"MegausGallon", 3785.411784L},
    {"HectousGallon", 0.3785411784L},
    {"DecausGallon", 0.03785411784L},
    {"DeciusGallon", 3.785411784e-4L},
    {"AcreFoot", 1233.48183754752L},
    {"BoardFoot", 0.002359737216L},
    {"ImperialBeerBarrel", 0.16365924L},
    {"UsBeerBarrel", 0.117347765304L},
    {"MetricCup", 2.5e-4L},
    {"MetricTeaspoon", 5e-6L},
    {"UsTablespoon", 1.478676478125e-5L},
    {"UsTeaspoon", 4.92892159375e-6L},
    {"UkTablespoon", 1.5e-5L},
    {"AuTablespoon", 2e-5L},
    {"UsCustomaryCup", 2.365882365e-4L},
    {"UsLegalCup", 2.4e-4L},
};

constexpr std::span<const Unit> kQuantities[] = {kAngles, kEnergies, kForces,       kLengths,
                                                 kMasses, kSpeeds,   kTemperatures, kVolumes};

enum Quantity : std::size_t {
  kAngle,
  kEnergy,
  kForce,
  kLength,
  kMass,
  kSpeed,
  kTemperature,
  kVolume
};

const Unit* find_unit(std::size_t quantity, std::string_view name) {
  for (const Unit& unit : kQuantities[quantity]) {
    if (equals_ignoring_ascii_case(unit.name, name)) {
      return &unit;
    }
  }
  return nullptr;
}

long double to_base(const Unit& unit, long double value) {
  return unit.sine ? std::asin(value) : (value + unit.offset) * unit.factor;
}
long double from_base(const Unit& unit, long double value) {
  return unit.sine ? std::sin(value) : value / unit.factor - unit.offset;
}

template <std::size_t kQuantity>
std::optional<double> convert(double value, std::string_view from, std::string_view to) {
  const Unit* source = find_unit(kQuantity, from);
  const Unit* target = find_unit(kQuantity, to);
  if (source == nullptr || target == nullptr) {
    return std::nullopt;
  }
  return source == target ? value
                          : static_cast<double>(from_base(*target, to_base(*source, value)));
}

template <std::size_t kQuantity>
std::optional<BindFailure> check_units(const BindRequest& request) {
  for (std::size_t i = 1; i < request.arguments.size(); ++i) {
    const Value* name = request.arguments[i].constant;
    if (name == nullptr || name->is_null() || name->type() != Type::kString ||
        find_unit(kQuantity, name->as_text()) != nullptr) {
      continue;
    }
    std::string known;
    for (const Unit& unit : kQuantities[kQuantity]) {
      known.append(known.empty() ? "" : ", ").append(unit.name);
    }
    return BindFailure{static_cast<int>(i),
                       "there is no such unit '" + std::string(name->as_text()) + "' here",
                       "units are " + known};
  }
  return std::nullopt;
}

constexpr std::string_view kUnitReturns = "A real; null for an unknown unit.";
constexpr ParameterDoc kUnitValue{"value", "A number."};

constexpr std::array<ScalarFunction, 8> kUnitFunctions = {{
    {.name = "convert_angle",
     .category = "conversion",
     .summary = "Converts an angle from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'Radian', 'Degree', 'Gradian', 'Arcminute', 'Revolution', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print round(convert_angle(180, 'Degree', 'Radian'), 6)", "3.141593"}}},
     .overloads = {lift<convert<kAngle>>()},
     .check = check_units<kAngle>},
    {.name = "convert_energy",
     .category = "conversion",
     .summary = "Converts an energy from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'Joule', 'Calorie', 'KilowattHour', 'BritishThermalUnit', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print convert_energy(1, 'KilowattHour', 'Megajoule')", "3.6"}}},
     .overloads = {lift<convert<kEnergy>>()},
     .check = check_units<kEnergy>},
    {.name = "convert_force",
     .category = "conversion",
     .summary = "Converts a force from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'Newton', 'KilogramForce', 'PoundForce', 'Dyn', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print convert_force(2, 'Kilonewton', 'Newton')", "2000"}}},
     .overloads = {lift<convert<kForce>>()},
     .check = check_units<kForce>},
    {.name = "convert_length",
     .category = "conversion",
     .summary = "Converts a length from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'Meter', 'Kilometer', 'Inch', 'Foot', 'Mile', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print convert_length(1, 'Foot', 'Inch')", "12"}}},
     .overloads = {lift<convert<kLength>>()},
     .check = check_units<kLength>},
    {.name = "convert_mass",
     .category = "conversion",
     .summary = "Converts a mass from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'Kilogram', 'Gram', 'Tonne', 'Pound', 'Ounce', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print convert_mass(2, 'Tonne', 'Kilogram')", "2000"}}},
     .overloads = {lift<convert<kMass>>()},
     .check = check_units<kMass>},
    {.name = "convert_speed",
     .category = "conversion",
     .summary = "Converts a speed from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'MeterPerSecond', 'KilometerPerHour', 'MilePerHour', 'Knot', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print convert_speed(36, 'KilometerPerHour', 'MeterPerSecond')", "10"}}},
     .overloads = {lift<convert<kSpeed>>()},
     .check = check_units<kSpeed>},
    {.name = "convert_temperature",
     .category = "conversion",
     .summary = "Converts a temperature from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'Kelvin', 'DegreeCelsius', 'DegreeFahrenheit', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print round(convert_temperature(100, 'DegreeCelsius', 'DegreeFahrenheit'), "
                    "6)",
                    "212"}}},
     .overloads = {lift<convert<kTemperature>>()},
     .check = check_units<kTemperature>},
    {.name = "convert_volume",
     .category = "conversion",
     .summary = "Converts a volume from one unit to another.",
     .params = {{kUnitValue,
                 {"from", "'CubicMeter', 'Liter', 'UsGallon', 'ImperialPint', …"},
                 {"to", "As from."}}},
     .returns = kUnitReturns,
     .examples = {{{"print round(convert_volume(2, 'CubicMeter', 'Liter'), 6)", "2000"}}},
     .overloads = {lift<convert<kVolume>>()},
     .check = check_units<kVolume>},
}};

}  // namespace

std::span<const ScalarFunction> unit_functions() {
  return kUnitFunctions;
}

}  // namespace evq
