// Conversions between units of measurement. A unit is a factor to its quantity's base unit, and for
// temperatures an offset. Names are those of Kusto: singular, in any case.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/time_scan.h"

namespace evq {
namespace {

struct Unit {
  std::string_view name;
  // In long doubles, so that a foot is 12 inches after all: 0.3048 / 0.0254 in doubles is not.
  long double factor;      // base units in one unit
  long double offset = 0;  // added before the factor applies
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
};
constexpr Unit kSpeeds[] = {
    {"MeterPerSecond", 1},          {"KilometerPerHour", 1 / 3.6L}, {"KilometerPerSecond", 1e3L},
    {"CentimeterPerSecond", 1e-2L}, {"MillimeterPerSecond", 1e-3L}, {"FootPerSecond", 0.3048L},
    {"InchPerSecond", 0.0254L},     {"YardPerSecond", 0.9144L},     {"MilePerHour", 0.44704L},
    {"Knot", 1852.0L / 3600},       {"MeterPerMinute", 1.0L / 60},  {"MeterPerHour", 1.0L / 3600},
};
constexpr Unit kTemperatures[] = {
    {"Kelvin", 1},
    {"DegreeCelsius", 1, 273.15L},
    {"DegreeFahrenheit", 5.0L / 9, 459.67L},
    {"DegreeRankine", 5.0L / 9},
    {"DegreeReaumur", 1.25L, 218.52L},
    {"MillidegreeCelsius", 1e-3L, 273150},
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

template <std::size_t kQuantity>
std::optional<double> convert(double value, std::string_view from, std::string_view to) {
  const Unit* source = find_unit(kQuantity, from);
  const Unit* target = find_unit(kQuantity, to);
  if (source == nullptr || target == nullptr) {
    return std::nullopt;
  }
  return source == target
             ? value
             : static_cast<double>((value + source->offset) * source->factor / target->factor -
                                   target->offset);
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
