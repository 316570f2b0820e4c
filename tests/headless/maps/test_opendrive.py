"""Reading OpenDRIVE: speeds and their units, junction phases, and what is refused."""

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.opendrive import SpeedRecord, parse_opendrive
from tests.headless.world.mini import MINI_XODR

PHASES = """<OpenDRIVE>
 <controller id="1"><control signalId="a"/><control signalId="a"/><control signalId="b"/></controller>
 <controller id="2"><control signalId="c"/></controller>
 <junction id="9"><controller id="2" sequence="1"/><controller id="1" sequence="0"/><controller id="8" sequence="2"/>
 </junction>
 <junction id="10"/>
</OpenDRIVE>"""


def test_units_become_kmh_and_lane_records_carry_their_place() -> None:
    road = parse_opendrive(MINI_XODR).roads[7]
    assert road.speeds == (SpeedRecord(0.0, 30 * 1.609344),)
    assert road.lane_speeds == {-1: (SpeedRecord(300.0, 72.0),)}
    assert road.junction == -1
    assert road.types == ((0.0, "town"),)


def test_phases_follow_the_sequence_and_skip_unknown_controllers() -> None:
    assert parse_opendrive(PHASES).junctions == ((("c",), ("a", "b"))[::-1],)


@pytest.mark.parametrize(
    "text", ["", "no xml", "<OpenDRIVE><road/></OpenDRIVE>", "<OpenDRIVE><road id='x'/></OpenDRIVE>"]
)
def test_broken_text_is_refused(text: str) -> None:
    with pytest.raises(DataRefused):
        parse_opendrive(text)


def test_a_doctype_is_refused_before_it_is_parsed() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><OpenDRIVE>&a;</OpenDRIVE>'
    with pytest.raises(DataRefused, match="DOCTYPE"):
        parse_opendrive(bomb)
