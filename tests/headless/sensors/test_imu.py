"""IMU on motions whose acceleration and turn rate are known."""

from __future__ import annotations

import math

import msgpack
import pytest

from bestrand_drive.headless.actor import Transform, Vector
from tests.headless.sensors.stage import Stage

STEP_S = 0.05


def test_at_rest_only_gravity_and_the_heading() -> None:
    stage = Stage()
    for yaw in (-90.0, 0.0, 90.0, 180.0):
        stage.add("sensor.other.imu", rotation=(0.0, yaw, 0.0))
    suite = stage.suite()
    frames = [stage.step(suite) for _ in range(4)][-1]
    bodies = [msgpack.unpackb(body) for _, _, body in frames]
    assert [body[2] for body in bodies] == pytest.approx([0.0, math.pi / 2, math.pi, 3 * math.pi / 2], abs=1e-9)
    for accel, gyro, _ in bodies:
        assert accel == pytest.approx([0.0, 0.0, 9.81])
        assert gyro == pytest.approx([0.0, 0.0, 0.0])


def test_gravity_turns_with_the_sensor() -> None:
    stage = Stage()
    stage.add("sensor.other.imu", rotation=(90.0, 0.0, 0.0))  # nose up: gravity pulls back, the reading points forward
    assert stage.message(stage.suite())[0] == pytest.approx([9.81, 0.0, 0.0], abs=1e-9)


def test_another_gravity_is_felt() -> None:
    stage = Stage(imu_gravity=1.62)
    stage.add("sensor.other.imu")
    assert stage.message(stage.suite())[0] == pytest.approx([0.0, 0.0, 1.62])


def test_a_straight_start_is_felt_forward() -> None:
    stage = Stage()
    sensor = stage.add("sensor.other.imu", rotation=(0.0, 90.0, 0.0))
    suite = stage.suite()
    for k in range(1, 8):
        t = k * STEP_S
        sensor.transform = Transform((0.0, 0.5 * 3.0 * t * t, 0.0), (0.0, 90.0, 0.0))
        accel, _, _ = stage.message(suite, STEP_S)
        assert accel == pytest.approx([3.0 if k >= 3 else 0.0, 0.0, 9.81], abs=1e-6)


def test_steps_of_unequal_length_give_the_same_acceleration() -> None:
    stage = Stage()
    sensor = stage.add("sensor.other.imu")
    suite, t = stage.suite(), 0.0
    for k, step in enumerate((0.05, 0.02, 0.1, 0.03, 0.05)):
        t += step
        sensor.transform = Transform((0.5 * 2.0 * t * t, 0.0, 0.0), (0.0, 0.0, 0.0))
        accel = stage.message(suite, step)[0]
        assert accel[0] == pytest.approx(2.0 if k >= 2 else 0.0, abs=1e-6)


def circle(angle: float, radius: float) -> Vector:
    return radius * math.cos(angle), radius * math.sin(angle), 0.0


def test_a_circle_pulls_to_its_middle_and_turns_the_gyroscope() -> None:
    """Clockwise seen from above (yaw grows), the middle lies to the right (+y)."""
    stage, radius, rate = Stage(), 20.0, 0.5
    car = stage.add("vehicle.tesla.model3")
    imu = stage.add("sensor.other.imu", parent=car.id, attachment=Transform())
    suite = stage.suite()
    for k in range(1, 6):
        angle = rate * k * STEP_S
        pose = Transform(circle(angle, radius), (0.0, math.degrees(angle) + 90.0, 0.0))
        car.transform = imu.transform = pose
        car.angular_velocity = (0.0, 0.0, math.degrees(rate))
        accel, gyro, _ = stage.message(suite, STEP_S)
        assert gyro == pytest.approx([0.0, 0.0, rate])
    assert accel == pytest.approx([0.0, radius * rate**2, 9.81], abs=0.15)  # the difference looks half a step back


def test_a_lever_arm_is_felt() -> None:
    stage, rate = Stage(), 1.0
    car = stage.add("vehicle.tesla.model3")
    imu = stage.add("sensor.other.imu", parent=car.id, attachment=Transform((2.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    suite = stage.suite()
    for k in range(1, 6):
        angle = rate * k * STEP_S
        imu.transform = Transform(circle(angle, 2.0), (0.0, math.degrees(angle), 0.0))
        accel, _, _ = stage.message(suite, STEP_S)
    assert accel[0] == pytest.approx(-2.0, abs=0.02)


def test_the_turn_rate_is_turned_by_the_mounting_as_in_carla() -> None:
    stage = Stage()
    car = stage.add("vehicle.tesla.model3", rotation=(0.0, 50.0, 0.0))
    car.angular_velocity = (0.0, 0.0, 90.0)
    stage.add("sensor.other.imu", rotation=(0.0, 80.0, 0.0), parent=car.id,
              attachment=Transform((0.0, 0.0, 0.0), (0.0, 30.0, 0.0)))  # fmt: skip
    assert stage.message(stage.suite())[1] == pytest.approx([0.0, 0.0, math.pi / 2])


def test_noise_and_bias() -> None:
    def rows(seed: str) -> list[list[list[float]]]:
        stage = Stage()
        stage.add("sensor.other.imu", noise_seed=seed, noise_accel_stddev_y="0.2", noise_gyro_bias_x="0.3",
                  noise_gyro_stddev_z="0.01")  # fmt: skip
        suite = stage.suite()
        return [stage.message(suite)[:2] for _ in range(300)]

    first = rows("5")
    side = [accel[1] for accel, _ in first]
    assert (sum(value * value for value in side) / len(side)) ** 0.5 == pytest.approx(0.2, rel=0.15)
    assert {gyro[0] for _, gyro in first} == {0.3}
    assert len({gyro[2] for _, gyro in first}) == len(first)
    assert rows("5") == first
