"""OpenDRIVE that carla's own parser does not survive, refused before it gets there."""

import subprocess
import sys

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.opendrive import parse_opendrive

ROAD = """<OpenDRIVE><road name="" length="{length}" id="1" junction="-1"><planView>{view}</planView>
<lanes>{offset}<laneSection s="{s}"><center><lane id="0" type="none" level="false"/></center>
<right><lane id="{lane}" type="driving" level="false"><width sOffset="0" a="{a}" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes>{end}</road></OpenDRIVE>"""
VIEW = '<geometry s="0" x="0" y="0" hdg="0" length="50"><line/></geometry>'
SOUND = {"length": "50", "view": VIEW, "s": "0", "lane": "-1", "a": "3.5", "offset": "", "end": ""}
FAULTS = [
    ({"view": ""}, "no geometry"),
    ({"length": "-50"}, "length"),
    ({"length": "inf"}, "length"),
    ({"length": "nan"}, "length"),
    ({"length": ""}, "length"),
    ({"view": VIEW.replace('length="50"', 'length="-5"')}, "length"),
    ({"view": VIEW.replace('x="0"', 'x="nan"')}, "x="),
    ({"view": VIEW.replace('hdg="0"', 'hdg="north"')}, "hdg="),
    ({"s": "inf"}, "s="),
    ({"a": "wide"}, "a="),
    ({"lane": "x-1"}, "lane id"),
    ({"lane": ""}, "lane id"),
    ({"lane": "-1001"}, "lane id"),
    ({"lane": "--1"}, "lane id"),
    ({"length": "1e9"}, "length"),
    ({"view": VIEW.replace('length="50"', 'length="1e300"')}, "length"),
    ({"view": VIEW.replace('x="0"', 'x="1e308"')}, "x="),
    ({"view": VIEW.replace("<line/>", "")}, "none of arc, line"),
    ({"view": VIEW.replace("<line/>", '<arc curvature="0"/>')}, "<arc> has no parameter but zeros"),
    ({"view": VIEW.replace("<line/>", "<arc/>")}, "<arc> has no parameter but zeros"),
    ({"view": VIEW.replace("<line/>", '<arc curvature="1e400"/>')}, "curvature="),
    ({"view": VIEW.replace("<line/>", '<spiral curvStart="0" curvEnd="0.0"/>')}, "<spiral> has no parameter but zeros"),
    ({"view": VIEW.replace("<line/>", '<paramPoly3 bU="0" bV="0" pRange="normalized"/>')}, "no parameter but zeros"),
    ({"view": VIEW.replace("<line/>", '<paramPoly3 bU="nan" bV="0"/>')}, "bU="),
    ({"view": VIEW.replace('s="0"', 's="1e-9"')}, "first <geometry> begins at s=1e-09"),
    ({"offset": '<laneOffset s="20" a="1" b="0" c="0" d="0"/>'}, "first <laneOffset> begins at s=20"),
    ({"end": '<validity fromLane="-2000000000" toLane="1"/>'}, "fromLane='-2000000000'"),
    ({"end": '<validity fromLane="-1" toLane="2000000000"/>'}, "toLane='2000000000'"),
]
LETHAL = [changed for changed, word in FAULTS if word in ("no geometry", "none of arc, line") or "begins" in word]
"""The reason for refusing; where one is survived, its check may go."""


@pytest.mark.parametrize(("changed", "word"), FAULTS)
def test_a_road_that_cannot_be_is_refused_by_name(changed: dict[str, str], word: str) -> None:
    with pytest.raises(DataRefused, match=word) as caught:
        parse_opendrive(ROAD.format(**{**SOUND, **changed}))
    assert "road '1'" in str(caught.value)


def loads(text: str) -> bool:
    """Whether a process of its own survives the text in ``carla.Map``, an exception included."""
    script = "import sys, carla\ntry: carla.Map('x', sys.argv[1]).generate_waypoints(2.0)\nexcept RuntimeError: pass"
    done = subprocess.run([sys.executable, "-c", script, text], capture_output=True, timeout=60, check=False)
    return done.returncode == 0


def test_the_sound_road_is_taken_by_both() -> None:
    text = ROAD.format(**SOUND)
    assert parse_opendrive(text).roads
    assert loads(text)


@pytest.mark.parametrize("changed", LETHAL)
def test_carla_itself_does_not_survive_them(changed: dict[str, str]) -> None:
    assert not loads(ROAD.format(**{**SOUND, **changed}))


@pytest.mark.parametrize("speed", ["nan", "inf", "-inf", "1e300", "1e5"])
def test_a_speed_that_is_none_is_refused(speed: str) -> None:
    kind = f'<type s="0" type="town"><speed max="{speed}" unit="km/h"/></type>'
    with pytest.raises(DataRefused, match="no speed"):
        parse_opendrive(ROAD.format(**{**SOUND, "end": kind}))
