"""--geo-database: geo_info_from_ip_address() over a file in MaxMind's format, made here."""

import json
import struct

from evq_case import EvqCase, main


def encoded(value):
    """A value of the data section: maps, texts, doubles and small numbers."""
    if isinstance(value, dict):
        return bytes([7 << 5 | len(value)]) + b"".join(
            encoded(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return bytes([len(value), 11 - 7]) + b"".join(map(encoded, value))
    if isinstance(value, float):
        return bytes([3 << 5 | 8]) + struct.pack(">d", value)
    if isinstance(value, tuple):  # a whole number of so many bytes
        size, number = value
        kind = {2: bytes([5 << 5 | 2]), 4: bytes([6 << 5 | 4]), 8: bytes([8, 9 - 7])}[size]
        return kind + number.to_bytes(size, "big")
    text = value.encode()
    assert len(text) < 29
    return bytes([2 << 5 | len(text)]) + text


def geo_database(network, place):
    """A database that knows the /16 network of these two bytes and nothing else."""
    bits = [byte >> (7 - i) & 1 for byte in network for i in range(8)]
    count = len(bits)
    tree = b""
    for i, bit in enumerate(bits):
        records = [count, count]  # not found
        records[bit] = i + 1 if i + 1 < count else count + 16
        tree += b"".join(record.to_bytes(3, "big") for record in records)
    about = {"node_count": (4, count), "record_size": (2, 24), "ip_version": (2, 4),
             "binary_format_major_version": (2, 2), "binary_format_minor_version": (2, 0),
             "build_epoch": (8, 1), "database_type": "Test", "languages": ["en"],
             "description": {"en": "test"}}
    return tree + bytes(16) + encoded(place) + b"\xab\xcd\xefMaxMind.com" + encoded(about)


class Geo(EvqCase):
    def setUp(self):
        super().setUp()
        self.file = self.directory / "places.mmdb"
        self.file.write_bytes(geo_database((81, 2), {
            "country": {"iso_code": "NO", "names": {"en": "Norway"}},
            "subdivisions": [{"names": {"en": "Oslo County"}}],
            "city": {"names": {"en": "Oslo"}},
            "location": {"latitude": 59.9, "longitude": 10.75, "time_zone": "Europe/Oslo"}}))
        self.ingest("web", ['{"ip":"81.2.69.142"}', '{"ip":"10.0.0.1"}', '{"ip":"none"}'])

    def test_places(self):
        query = ("web | extend place = geo_info_from_ip_address(ip) | sort by ip desc"
                 " | project ip, place")
        rows = [json.loads(line) for line in
                self.out("--geo-database", self.file, "query", query).splitlines()]
        self.assertEqual(rows[0], {"ip": "none", "place": None})
        self.assertEqual(rows[1]["place"]["city"], "Oslo")
        self.assertEqual(rows[1]["place"]["country"], "Norway")
        self.assertEqual(rows[1]["place"]["country_iso"], "NO")
        self.assertEqual((rows[1]["place"]["latitude"], rows[1]["place"]["longitude"]),
                         (59.9, 10.75))
        self.assertEqual(rows[2]["place"]["city"], "")
        city = "print tostring(geo_info_from_ip_address('81.2.0.1').city)"
        self.assertIn("Oslo", self.out("query", city, env={"EVQ_GEO_DATABASE": str(self.file)}))
        self.assertNotIn("Oslo", self.out("query", city))

    def test_on_a_server(self):
        url, token, _ = self.serve("--geo-database", self.file)
        out = self.out("--server", url, "--token", token, "query",
                       "web | where geo_info_from_ip_address(ip).country_iso == 'NO' | count")
        self.assertEqual(out, '{"Count":1}\n')

    def test_in_a_delete(self):
        out = self.out("--geo-database", self.file, "delete",
                       "web | where geo_info_from_ip_address(ip).country_iso == 'NO'")
        self.assertEqual(json.loads(out)["rowsMatched"], 1)

    def test_a_file_that_cannot_be_used(self):
        (self.directory / "broken.mmdb").write_text("this is none")
        for name in ("nofile", "broken.mmdb"):
            _, errors = self.evq("--geo-database", name, "query", "web", status=2)
            self.assertIn("cannot open the geographic database " + name, errors)
            self.assertIn("GeoLite2-City.mmdb", errors)


if __name__ == "__main__":
    main()
