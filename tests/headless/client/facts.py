"""Facts that the tests hold the server to."""

BENCHMARK_BLUEPRINTS = {
    *("vehicle.lincoln.mkz_2020", "vehicle.tesla.model3", "vehicle.audi.tt", "vehicle.ford.ambulance"),
    "vehicle.dodge.charger_police_2020",
    *("vehicle.carlamotors.firetruck", "vehicle.bh.crossbike", "vehicle.kawasaki.ninja", "vehicle.mercedes.sprinter"),
    *("walker.pedestrian.0001", "walker.pedestrian.0048", "walker.animal.1001", "controller.ai.walker"),
    *("static.prop.trafficwarning", "static.prop.constructioncone", "static.prop.dirtdebris01"),
    *("static.prop.vendingmachine", "static.prop.mesh", "static.prop.ampel"),
    *("static.prop.walkingkid", "static.prop.brickwall"),
    *("sensor.camera.rgb", "sensor.other.radar", "sensor.other.gnss", "sensor.other.imu"),
    *("sensor.lidar.ray_cast", "sensor.lidar.ray_cast_semantic"),
    *("sensor.other.collision", "sensor.other.lane_invasion", "sensor.other.obstacle"),
}  # fmt: skip
"""Spawned by Bench2Drive's and Fail2Drive's evaluators and scenarios."""


def own_road(length_m: float = 200.0) -> str:
    """A straight road along x with a lane each way, as OpenDRIVE."""
    width = '<width sOffset="0.0" a="3.5" b="0.0" c="0.0" d="0.0"/>'
    return f"""<?xml version="1.0"?>
<OpenDRIVE><header revMajor="1" revMinor="4" name="own" north="0" south="0" east="0" west="0">
<geoReference><![CDATA[+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84]]></geoReference></header>
<road name="only" length="{length_m}" id="7" junction="-1"><link/><type s="0.0" type="town"/>
<planView><geometry s="0.0" x="0.0" y="0.0" hdg="0.0" length="{length_m}"><line/></geometry></planView>
<lanes><laneSection s="0.0"><left><lane id="1" type="driving" level="false">{width}</lane></left>
<center><lane id="0" type="none" level="false"/></center>
<right><lane id="-1" type="driving" level="false">{width}</lane></right></laneSection></lanes></road></OpenDRIVE>"""
