"""CARLA's command line: ports, the map, what is ignored and what nobody knows."""

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.headless.carla_flags import IGNORED, IGNORED_WITH_VALUE, RPC_PORT, carla_flags
from bestrand_drive.headless.options import DEFAULT_MAP, DEFAULT_PORT, ServeOptions

PLAIN = ServeOptions(maps=())


@pytest.mark.parametrize(
    "flag", ["-carla-rpc-port", "-carla-port", "-carla-world-port", "-world-port", "-Carla-RPC-Port"]
)
def test_every_name_of_the_port(flag):
    options, unknown = carla_flags([f"{flag}=3000", "-carla-streaming-port=0"], PLAIN)
    assert (options.port, options.streaming_port, unknown) == (3000, 0, [])


@pytest.mark.parametrize(
    "flags",
    [
        "-RenderOffScreen -nosound -graphicsadapter=1",
        "-quality-level=Low -ResX=800 -ResY=600 -windowed",
        "-opengl -benchmark -fps=20",
        "-fps 20 -ResX 800 -graphicsadapter 1 -quality-level Epic -carla-server",
        "-vulkan -prefernvidia -stdout -FullStdOutLogOutput -ros2",
        "-fps",
    ],
)
def test_flags_without_a_meaning_change_nothing(flags):
    assert carla_flags(flags.split(), PLAIN) == (PLAIN, [])


@pytest.mark.parametrize("name", ["Town02", "/Game/Carla/Maps/Town02", "Town10HD_Opt"])
def test_the_first_bare_word_is_the_map(name):
    assert carla_flags([name, "-nosound", "-fps", "20"], PLAIN)[0].map_name == name


@pytest.mark.parametrize("flags", ["-nosound Town02", "-fps 20 Town02", "-nosound 20", "-what 20", "-what=1 Town02"])
def test_a_bare_word_further_on_is_no_map(flags):
    options, unknown = carla_flags(flags.split(), PLAIN)
    assert options.map_name == DEFAULT_MAP
    assert unknown[-1] == flags.split()[-1]


def test_unknown_flags_are_handed_back_and_hide_nothing_behind_them():
    options, unknown = carla_flags(["-what=1", "-who", "-carla-rpc-port=3000", "me"], PLAIN)
    assert options.port == 3000
    assert unknown == ["-what=1", "-who", "me"]


def test_a_known_flag_s_missing_value_does_not_swallow_the_next_flag():
    assert carla_flags(["-fps", "-carla-rpc-port=3000"], PLAIN)[0].port == 3000


@pytest.mark.parametrize("flag", ["-carla-rpc-port=", "-carla-rpc-port=x", "-carla-rpc-port=70000", "-carla-port=-1",
                                  f"-carla-rpc-port={'9' * 5000}"])  # fmt: skip
def test_a_port_that_is_none_is_refused(flag):
    with pytest.raises(UsageError, match="port"):
        carla_flags([flag], PLAIN)


def test_a_port_behind_a_space_is_refused_as_carla_would_ignore_it():
    with pytest.raises(UsageError, match="-carla-rpc-port=2000"):
        carla_flags(["-carla-rpc-port", "3000"], PLAIN)


@pytest.mark.parametrize(
    "flag",
    ["--world-port=3000", "--carla-rpc-port=3000", "-rpc-port=3000", "-port=3000", "--port", "-PORT=3", "-worldport=3"],
)
def test_what_looks_like_a_port_is_refused_and_the_right_flags_are_named(flag):
    with pytest.raises(UsageError, match="-carla-rpc-port") as caught:
        carla_flags(["-nosound", flag], PLAIN)
    assert str(caught.value).startswith(f"{flag.partition('=')[0]}: ")


def test_a_bare_word_or_a_value_may_end_like_a_port():
    assert carla_flags(["Airport", "-abslog=/tmp/port", "-what=port"], PLAIN)[1] == ["-what=port"]


def test_the_lists_are_in_lower_case_and_apart():
    lists = (IGNORED, IGNORED_WITH_VALUE, RPC_PORT)
    assert all(flag == flag.lower() and flag.startswith("-") for one in lists for flag in one)
    assert len(frozenset.union(*lists)) == sum(map(len, lists))
    assert PLAIN.port == DEFAULT_PORT
