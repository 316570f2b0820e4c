"""Programs that move one actor: pedals, Ackermann targets, held velocities, pushes, a walker's legs."""

from __future__ import annotations

from typing import Any

import carla

from tests.headless.client.programs.session import CAR, STEP_S, Session, moved, numbers, straight_road


def driving_by_hand(session: Session) -> dict[str, Any]:
    """Throttle, brake, reverse, hand brake, steering."""
    world = session.empty_town()
    place = straight_road(world)
    car = session.spawn(CAR, place)
    session.tick(2)
    forward = place.get_forward_vector()
    found: dict[str, Any] = {}

    def phase(name: str, ticks: int, **pedals: Any) -> None:
        start, yaw = car.get_location(), car.get_transform().rotation.yaw
        car.apply_control(carla.VehicleControl(**pedals))
        session.tick(ticks)
        way = car.get_location() - start
        turned = (car.get_transform().rotation.yaw - yaw + 180) % 360 - 180
        speed = car.get_velocity().dot(forward)
        found[name] = {"ahead_m": way.dot(forward), "speed": speed, "turned_deg": turned}
        shown = car.get_control()
        found[name]["shown"] = [shown.throttle, shown.brake, shown.reverse, shown.hand_brake]

    phase("throttle", 60, throttle=0.6)
    phase("brake", 80, brake=1.0)
    phase("reverse", 60, throttle=0.4, reverse=True)
    phase("hand brake", 80, hand_brake=True)
    phase("right", 40, throttle=0.4, steer=0.5)
    found["speed_limit"] = car.get_speed_limit()
    return found


def walking(session: Session) -> dict[str, Any]:
    """A walker told to walk, to turn, to stop."""
    world = session.empty_town()
    start = moved(straight_road(world), aside=5.0, up=0.5)
    walker = session.spawn("walker.pedestrian.0010", start)
    session.tick(2)
    found: dict[str, Any] = {}
    for name, direction, speed in (
        ("along x", (1, 0, 0), 1.5),
        ("along -y", (0, -1, 0), 3.0),
        ("stand", (1, 0, 0), 0.0),
    ):
        before = walker.get_location()
        walker.apply_control(carla.WalkerControl(carla.Vector3D(*map(float, direction)), speed))
        session.tick(40)
        way = walker.get_location() - before
        found[name] = [way.x, way.y, walker.get_velocity().length(), walker.get_control().speed]
    return found


def ackermann(session: Session, speed: float) -> dict[str, Any]:
    """Ten seconds to a speed, then a turn at it, then pedals again."""
    car = session.spawn(CAR, straight_road(session.empty_town(), 60.0))
    session.tick(2)
    gains = car.get_ackermann_controller_settings()
    car.apply_ackermann_control(carla.VehicleAckermannControl(speed=speed, acceleration=3.0))
    session.tick(200)
    found: dict[str, Any] = {"speed": car.get_velocity().length(), "gain": gains.speed_kp}
    yaw = car.get_transform().rotation.yaw
    car.apply_ackermann_control(carla.VehicleAckermannControl(speed=speed, acceleration=3.0, steer=0.1))
    session.tick(20)
    found["turned_deg"] = (car.get_transform().rotation.yaw - yaw + 180) % 360 - 180
    found["wheel_deg"] = car.get_wheel_steer_angle(carla.VehicleWheelLocation.FL_Wheel)
    gains.speed_kp = 0.25
    car.apply_ackermann_controller_settings(gains)
    found["gain_set"] = car.get_ackermann_controller_settings().speed_kp
    car.apply_control(carla.VehicleControl(brake=1.0))
    session.tick(80)
    found["after"] = car.get_velocity().length()
    return found


def held_velocity(session: Session, speed: float, ticks: int) -> dict[str, Any]:
    """A velocity that is kept whatever the pedals say, and let go again."""
    place = straight_road(session.empty_town(), 60.0)
    car = session.spawn(CAR, place)
    session.tick(2)
    car.enable_constant_velocity(carla.Vector3D(speed, 0.0, 0.0))
    car.apply_control(carla.VehicleControl(brake=1.0))
    session.tick()
    start = car.get_location()
    session.tick(ticks)
    found = {
        "way_m": (car.get_location() - start).dot(place.get_forward_vector()),
        "expected_m": speed * STEP_S * ticks,
    }
    found["speed"] = car.get_velocity().length()
    car.disable_constant_velocity()
    session.tick(60)
    found["after"] = car.get_velocity().length()
    return found


def pushes(session: Session, speed: float) -> dict[str, Any]:
    """What one tick after an impulse, a force and an angular impulse shows; each on a vehicle that stands."""
    world = session.empty_town()
    place = straight_road(world, 60.0)
    forward = place.get_forward_vector()
    car = session.spawn(CAR, place)
    mass = car.get_physics_control().mass
    found: dict[str, Any] = {}
    ways = {
        "nothing": lambda: None,
        "impulse": lambda: car.add_impulse(forward * (mass * speed)),
        "force": lambda: car.add_force(forward * (mass * speed / STEP_S)),
        "spin": lambda: car.add_angular_impulse(carla.Vector3D(0.0, 0.0, mass * 60.0)),
    }
    for name, push in ways.items():
        car.set_transform(place)
        car.set_target_velocity(carla.Vector3D())
        car.set_target_angular_velocity(carla.Vector3D())
        session.tick(20)
        before = car.get_transform().rotation.yaw
        push()
        session.tick()
        turned = (car.get_transform().rotation.yaw - before + 180) % 360 - 180
        found[name] = {"speed": car.get_velocity().dot(forward), "turned_deg": turned}
        session.tick(60)
    return found


def teleports(session: Session) -> list[float]:
    """How far an actor is from where it was put, a tick later: by transform, by location, on and off physics."""
    world = session.empty_town()
    places = world.get_map().get_spawn_points()[:40:10]
    car = session.spawn(CAR, places[0])
    session.tick(5)
    off = []
    for place, simulated, act in (
        (places[1], True, car.set_transform),
        (places[2], True, lambda place: car.set_location(place.location)),
        (places[3], False, car.set_transform),
    ):
        car.set_simulate_physics(simulated)
        act(place)
        session.tick()
        here = numbers(car.get_location() - place.location)
        off.append((here[0] ** 2 + here[1] ** 2) ** 0.5)
    return off


PROGRAMS = (driving_by_hand, walking, ackermann, held_velocity, pushes, teleports)
