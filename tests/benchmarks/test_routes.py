"""Route XML: nothing is lost, and every fault is named with its line."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand_drive.benchmarks.routes import parse_routes, read_route_file, subset_xml
from bestrand_drive.errors import DataRefused

HERE = Path("routes.xml")
LIGHT = settings(max_examples=60)


def elements(file):
    return [file.content[route.start : route.end] for route in file.routes]


def test_real_elements_are_byte_identical_and_in_file_order(shared_data):
    for path in sorted((shared_data / "bench2drive" / "routes").glob("*.xml")):
        whole = read_route_file(path)
        by_regex = re.findall(rb"<route .*?</route>", path.read_bytes(), re.DOTALL)
        assert elements(whole) == by_regex
        for step in (2, 3, 7):
            chosen = [route.id for route in whole.routes][::step]
            reduced = parse_routes(path, subset_xml(whole, chosen[::-1]))
            assert [route.id for route in reduced.routes] == chosen
            assert elements(reduced) == by_regex[::step]
            assert [route.sha256 for route in reduced.routes] == [route.sha256 for route in whole.routes][::step]


def test_every_real_fail2drive_file_is_read(shared_data):
    paths = sorted((shared_data / "fail2drive" / "routes").glob("*.xml"))
    assert len(paths) == 200
    for path in paths:
        (route,) = read_route_file(path).routes
        assert path.read_bytes()[route.start : route.end].endswith(b"</route>")
        assert int(path.stem[-4:]) == int(route.id)


def test_what_a_route_element_tells(build):
    (route,) = parse_routes(HERE, build.routes(build.route(17, "Accident", "Town03"))).routes
    assert (route.id, route.town, route.scenario_types, route.line) == ("17", "Town03", ("Accident",), 2)
    assert (route.length_m, route.waypoints) == (5.0, 2)


def test_all_routes_give_the_file_itself(build):
    content = build.routes(build.route(1), "<!-- kept -->", build.route(2))
    assert subset_xml(parse_routes(HERE, content), ["2", "1"]) == content


@pytest.mark.parametrize("choice", [["9"], [], ["1", "../../x"]])
def test_unknown_or_no_id_is_refused(build, choice):
    file = parse_routes(HERE, build.routes(build.route(1), build.route(2)))
    with pytest.raises(DataRefused, match=r"no route"):
        subset_xml(file, choice)


FORMS = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "declaration": lambda text: b"<?xml version='1.0' encoding='utf-8'?>\n" + text.encode(),
    "latin-1": lambda text: b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- \xe9 -->' + text.encode("latin-1"),
    "single quotes": lambda text: text.replace('"', "'").encode(),
    "comments": lambda text: text.replace("<scenarios>", "<!-- <route id='7'> --><scenarios>").encode(),
    "cdata": lambda text: text.replace("</waypoints>", "<![CDATA[ </route> ]]></waypoints>").encode(),
    "space in the closing tag": lambda text: text.replace("</route>", "</route  >").encode(),
    "greater-than in an attribute": lambda text: text.replace('town="T', 'note="a>b" town="T').encode(),
    "instruction": lambda text: text.replace("<waypoints>", "<?x </route> ?><waypoints>").encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_accepted_forms_keep_their_bytes(build, form):
    text = build.routes(*(build.route(i) for i in range(1, 6))).decode()
    file = parse_routes(HERE, FORMS[form](text))
    reduced = parse_routes(HERE, subset_xml(file, ["2", "5"]))
    assert elements(reduced) == [elements(file)[1], elements(file)[4]]


def refused(content: bytes) -> str:
    with pytest.raises(DataRefused) as caught:
        parse_routes(HERE, content)
    assert "routes.xml, line " in str(caught.value)
    return str(caught.value)


def test_duplicate_ids_name_both_lines(build):
    message = refused(build.routes(build.route(4), build.route(4)))
    assert "line 2" in message
    assert "line 9" in message


REPLACEMENTS = {
    "missing id": ('id="1" ', "", "line 2: this <route> has no id"),
    "empty id": ('id="1"', 'id=" "', "no id"),
    "id not a number": ('id="1"', 'id="../../x"', "not a whole number"),
    "id with leading zero": ('id="1"', 'id="01"', "not a whole number"),
    "huge id": ('id="1"', f'id="{"9" * 5000}"', "not a whole number"),
    "missing town": (' town="Town12"', "", "no town"),
    "empty town": ("Town12", "", "no town"),
    "missing waypoints": ("waypoints>", "points>", "line 2: route 1 has no <waypoints>"),
    "missing scenarios": ("scenarios>", "scenes>", "line 2: route 1 has no <scenarios>"),
    "no position": ("<position", "<place", "no waypoint"),
    "nan": ('x="3.0"', 'x="nan"', "line 5: <position> has x='nan'"),
    "infinity anywhere": ('yaw="0"', 'yaw="-Infinity"', "not a finite number"),
    "overflow": ('yaw="0"', 'yaw="1e999"', "not a finite number"),
    "text for a coordinate": ('x="3.0"', 'x="three"', "needs numbers"),
    "no coordinate": (' z="3"', "", "<trigger_point> needs numbers"),
    "nested route": ("<scenarios>", "<scenarios><route id='2' town='T'/>", "directly under the root"),
    "malformed": ("</waypoints>", "</waypoint>", "line 6, column 4: not well-formed"),
    "truncated": ("</routes>\n", "", "not well-formed"),
    "undefined entity": ("Town12", "&town;", "not well-formed"),
    "self-closing route": ("<routes>", "<routes><route id='5' town='T'/>", "line 1: route 5 has no <waypoints>"),
    "no routes": ("route ", "path ", "not well-formed"),
    "doctype": ("<routes>", "<!DOCTYPE routes []><routes>", "line 1: a DOCTYPE"),
}


@pytest.mark.parametrize("fault", REPLACEMENTS)
def test_faults_are_named_with_their_line(build, fault):
    old, new, expected = REPLACEMENTS[fault]
    text = build.routes(build.route(1)).decode()
    assert old in text
    assert expected in refused(text.replace(old, new).encode())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not well-formed XML (no element found)"),
        (b"<routes/>", "the file holds no <route>"),
        (b"\0\1", "binary content"),
        (b"<?xml version='1.0' encoding='utf-7'?><routes/>", "encoding 'utf-7' is not read"),
        (b"<?xml version='1.0' encoding='nonsense'?><routes/>", "encoding 'nonsense' is not read"),
    ],
)
def test_empty_and_foreign_content_is_refused(content, said):
    assert said in refused(content)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_wide_encodings_are_refused(build, encoding):
    assert "UTF-8" in refused(build.routes(build.route(1)).decode().encode(encoding))


@pytest.mark.parametrize(("what", "said"), [("absent.xml", r"absent\.xml: cannot be read"), (".", "not a regular")])
def test_absent_file_and_folder_are_refused(tmp_path, what, said):
    with pytest.raises(DataRefused, match=said):
        read_route_file(tmp_path / what)


SPACE = st.text(" \n\t", min_size=1, max_size=4)


@LIGHT
@given(spaces=st.lists(SPACE, min_size=4, max_size=4), swap=st.booleans(), comment=st.booleans())
def test_hash_ignores_whitespace_comments_and_attribute_order(build, spaces, swap, comment):
    plain = build.route(1)
    other = re.sub(r">\s*<", lambda _: ">" + spaces[0] + "<", plain).replace('" ', '"' + spaces[1])
    other = other.replace('x="3.0"' + spaces[1] + 'y="4.0"', 'y="4.0" x="3.0"') if swap else other
    other = other.replace("<scenarios>", "<!-- a -->" * comment + "<scenarios>")
    first, second = (parse_routes(HERE, build.routes(text)).routes[0] for text in (plain, other))
    assert first.sha256 == second.sha256


@LIGHT
@given(st.data())
def test_hash_sees_any_changed_attribute(build, data):
    plain = build.route(1)
    spots = [match.start(1) for match in re.finditer(r'="([0-9a-zA-Z])', plain)]
    spot = data.draw(st.sampled_from(spots))
    other = plain[:spot] + ("8" if plain[spot] != "8" else "9") + plain[spot + 1 :]
    first, second = (parse_routes(HERE, build.routes(text)).routes[0] for text in (plain, other))
    assert first.sha256 != second.sha256


@settings(LIGHT, max_examples=150)
@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_one_damaged_byte_is_read_or_refused(build, position, byte):
    content = bytearray(build.routes(build.route(1), build.route(2)))
    content[position % len(content)] = byte
    try:
        file = parse_routes(HERE, bytes(content))
    except DataRefused:
        return
    assert all(element.startswith(b"<route") and element.endswith(b">") for element in elements(file))


def test_hash_sees_text_and_where_it_stands(build):
    plain = build.route(1)
    variants = [plain, plain.replace("<scenarios>", "note<scenarios>"), plain.replace("<scenarios>", "<scenarios>note")]
    variants.append(plain.replace("<scenarios>", "other<scenarios>"))
    assert len({parse_routes(HERE, build.routes(text)).routes[0].sha256 for text in variants}) == 4
