// Traffic lights at a crossing, as in traffic_lights.pml.
// Planted: the lights do not wait until the crossing is clear.
//
// verdict: violated assertion
// states: 5840
// transitions: 32093
#ifndef CARS
#define CARS 3
#endif

mtype:light = { red, yellow, green };
mtype:road = { north, east };
#define INDEX(road) (road == north -> 0 : 1)

mtype:light light[2] = red;
mtype:road way = north;
byte looking[2], crossing[2]; // cars

active proctype Control() {
  do
  :: light[INDEX(way)] = green;
     light[INDEX(way)] = yellow;
     light[INDEX(way)] = red;
     way = (way == north -> east : north)
  od
}

proctype Car(mtype:road mine) {
  do
  :: atomic { light[INDEX(mine)] != red -> looking[INDEX(mine)]++ }
     atomic {
       looking[INDEX(mine)]--;
       crossing[INDEX(mine)]++;
       assert(crossing[0] == 0 || crossing[1] == 0)
     }
     crossing[INDEX(mine)]--
  od
}

init {
  byte i;
  atomic {
    for (i : 1 .. CARS) {
      run Car(north);
      run Car(east)
    }
    i = 0
  }
}
