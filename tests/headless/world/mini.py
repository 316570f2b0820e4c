"""A town of one straight road, small enough to reason about: flat for 200 m, then rising by 5 %, a light at 150 m."""

MINI_XODR = """<?xml version="1.0"?>
<OpenDRIVE>
  <header revMajor="1" revMinor="4" name="" version="1" date="" north="0" south="0" east="0" west="0">
    <geoReference><![CDATA[+proj=tmerc +lat_0=42 +lon_0=2 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m]]></geoReference>
  </header>
  <road name="main" length="400" id="7" junction="-1">
    <link/>
    <type s="0" type="town"><speed max="30" unit="mph"/></type>
    <planView><geometry s="0" x="0" y="0" hdg="0" length="400"><line/></geometry></planView>
    <elevationProfile><elevation s="0" a="0" b="0" c="0" d="0"/><elevation s="200" a="0" b="0.05" c="0" d="0"/>
    </elevationProfile>
    <lateralProfile/>
    <lanes><laneSection s="0">
      <left><lane id="1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></left>
      <center><lane id="0" type="none" level="false"/></center>
      <right><lane id="-1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
        <speed sOffset="300" max="20" unit="m/s"/></lane></right>
    </laneSection></lanes>
    <signals>
      <signal name="light" id="11" s="150" t="-5" zOffset="0" hOffset="0" roll="0" pitch="0" orientation="+"
        dynamic="yes" country="OpenDRIVE" type="1000001" subtype="-1" value="-1" text="" height="1" width="1">
        <validity fromLane="-1" toLane="-1"/></signal>
      <signal name="stop" id="12" s="300" t="5" zOffset="0" hOffset="0" roll="0" pitch="0" orientation="-"
        dynamic="no" country="OpenDRIVE" type="206" subtype="-1" value="-1" text="" height="1" width="1">
        <validity fromLane="1" toLane="1"/></signal>
    </signals>
  </road>
</OpenDRIVE>
"""
