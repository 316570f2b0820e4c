"""GNSS against the client's own map, and against the formulas of the version before it."""

from __future__ import annotations

import statistics
import time

import pytest

from bestrand_drive.headless.sensors.geo import GeoReference, mercator, parse_reference, transverse_mercator
from tests.headless.client.clients import release_of
from tests.headless.sensors.stage import Stage

carla = pytest.importorskip("carla")

ROAD = """<?xml version="1.0" standalone="yes"?><OpenDRIVE><header revMajor="1" revMinor="4" name="" version="1" date=""
north="0" south="0" east="0" west="0" vendor=""><geoReference><![CDATA[{}]]></geoReference></header>
<road name="" length="100.0" id="1" junction="-1"><planView><geometry s="0" x="0" y="0" hdg="0" length="100.0"><line/>
</geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none" level="false"/></center><right>
<lane id="-1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection>
</lanes></road></OpenDRIVE>"""
PLACES = [(0.0, 0.0, 0.0), (100.5, -2000.25, 3.0), (-5432.125, 4000.0, -7.5)]
REFERENCES = ["+proj=tmerc +lat_0=0 +lon_0=0 +k=1", "+proj=tmerc +lat_0=4.9e+1 +lon_0=8.0e+0", "+lat_0=-30 +lon_0=100",
              "+proj=utm +zone=32", "", "+proj=merc +lon_0=0", "+lat_0=49", "+lat_0=1 +lon_0=8 +lat_0=49",
              " +lat_0=49deg +lon_0=8 ", "+lat_0=49\n+lon_0=8", "+lat_0=49=1 +lon_0=8"]  # fmt: skip


@pytest.fixture(scope="module")
def installed() -> str:
    """Release of the client here; a process has to be started for the answer."""
    return release_of()


@pytest.mark.parametrize("reference", REFERENCES)
def test_fixes_are_the_maps(reference: str, installed: str) -> None:
    """The installed client's Map converts as the server of its version does."""
    text = ROAD.format(reference)
    town = carla.Map("Town01", text)
    for place in PLACES:
        stage = Stage(opendrive=text)
        stage.add("sensor.other.gnss", place)
        latitude, longitude, altitude = stage.message(stage.suite(installed))
        wanted = town.transform_to_geolocation(carla.Location(*place))
        assert latitude == pytest.approx(wanted.latitude, abs=1e-9)
        assert longitude == pytest.approx(wanted.longitude, abs=1e-9)
        assert altitude == pytest.approx(wanted.altitude, abs=1e-5)


@pytest.mark.parametrize(
    ("origin", "place", "wanted"),
    [
        # carla.Map("Town01", ...).transform_to_geolocation of a 0.9.15 client
        ((0.0, 0.0), (1000.0, 1000.0), (-0.008983152804390215, 0.008983152841195214)),
        ((0.0, 0.0), (10000.0, 20000.0), (-0.1796627623961342, 0.08983152841195213)),
        ((49.0, 8.0), (1000.0, 1000.0), (48.99101603704085, 8.013692598446541)),
        ((-30.0, 100.0), (10000.0, 20000.0), (-30.179500229792524, 100.10372851422072)),
    ],
)
def test_mercator_is_the_older_versions(
    origin: tuple[float, float], place: tuple[float, float], wanted: object
) -> None:
    assert mercator(GeoReference(*origin), *place) == pytest.approx(wanted, abs=1e-10)


def test_the_versions_differ_in_the_sense_of_y() -> None:
    origin = GeoReference(10.0, 20.0)
    assert mercator(origin, 0.0, 500.0)[0] < 10.0 < transverse_mercator(origin, 0.0, 500.0)[0]


@pytest.mark.parametrize("text", ["", "<geoReference>+lat_0=. +lon_0=e</geoReference>", "<OpenDRIVE/>"])
def test_an_unreadable_reference_is_the_default(text: str) -> None:
    assert parse_reference(text) == GeoReference(42.0, 2.0)


def test_a_text_of_nothing_but_open_references_is_read_at_once() -> None:
    begun = time.process_time()
    assert parse_reference("<geoReference>" * 30_000) == GeoReference()
    assert time.process_time() - begun < 1.0


def test_a_new_map_moves_the_origin() -> None:
    stage = Stage(opendrive=ROAD.format("+lat_0=10 +lon_0=20"))
    stage.add("sensor.other.gnss")
    suite = stage.suite()
    assert stage.message(suite)[:2] == pytest.approx([10.0, 20.0])
    stage.opendrive = ROAD.format("+lat_0=11 +lon_0=21")
    assert stage.message(suite)[:2] == pytest.approx([11.0, 21.0])


@pytest.mark.parametrize(("version", "northwards"), [("0.9.15", False), ("0.9.16", True)])
def test_the_sensor_follows_its_version(version: str, northwards: bool) -> None:
    stage = Stage(opendrive=ROAD.format("+lat_0=10 +lon_0=20"))
    stage.add("sensor.other.gnss", (0.0, 500.0, 0.0))
    assert (stage.message(stage.suite(version))[0] > 10.0) is northwards


def test_bias_and_noise_have_their_size_and_repeat() -> None:
    def fixes(seed: str) -> list[list[float]]:
        stage = Stage(opendrive=ROAD.format("+lat_0=10 +lon_0=20"))
        stage.add("sensor.other.gnss", (0.0, 0.0, 5.0), noise_seed=seed, noise_lat_bias="1.0", noise_lon_stddev="0.5",
                  noise_alt_bias="-2.0", noise_alt_stddev="0.1")  # fmt: skip
        suite = stage.suite()
        return [stage.message(suite) for _ in range(400)]

    rows = fixes("1")
    latitudes, longitudes, altitudes = zip(*rows, strict=True)
    assert set(latitudes) == {latitudes[0]}
    assert latitudes[0] == pytest.approx(11.0)
    assert statistics.stdev(longitudes) == pytest.approx(0.5, rel=0.15)
    assert statistics.mean(altitudes) == pytest.approx(3.0, abs=0.03)
    assert fixes("1") == rows
    assert fixes("2") != rows
