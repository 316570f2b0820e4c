"""OpenDRIVE that carla's own parser does not survive, refused before it gets there."""

import subprocess
import sys

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.opendrive import parse_opendrive

ROAD = """<OpenDRIVE><road name="" length="{length}" id="1" junction="-1"><planView>{view}</planView>
<lanes><laneSection s="{s}"><center><lane id="0" type="none" level="false"/></center>
<right><lane id="{lane}" type="driving" level="false"><width sOffset="0" a="{a}" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>"""
VIEW = '<geometry s="0" x="0" y="0" hdg="0" length="50"><line/></geometry>'
SOUND = {"length": "50", "view": VIEW, "s": "0", "lane": "-1", "a": "3.5"}
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
]


@pytest.mark.parametrize(("changed", "word"), FAULTS)
def test_a_road_that_cannot_be_is_refused_by_name(changed: dict[str, str], word: str) -> None:
    with pytest.raises(DataRefused, match=word) as caught:
        parse_opendrive(ROAD.format(**{**SOUND, **changed}))
    assert "road '1'" in str(caught.value)


def loads(text: str) -> bool:
    """Whether a process of its own survives the text in ``carla.Map``, an exception included."""
    script = "import sys, carla\ntry: carla.Map('x', sys.argv[1])\nexcept RuntimeError: pass"
    done = subprocess.run([sys.executable, "-c", script, text], capture_output=True, timeout=60, check=False)
    return done.returncode == 0


def test_the_sound_road_is_taken_by_both() -> None:
    text = ROAD.format(**SOUND)
    assert parse_opendrive(text).roads
    assert loads(text)


def test_carla_itself_ends_the_process_on_a_road_without_geometry() -> None:
    """The reason for refusing; where this fails, the check may go."""
    assert not loads(ROAD.format(**{**SOUND, "view": ""}))
