// A vending machine and a notrace, as in vending.pml.
// Planted: the machine does not take the price off the credit, and one coin buys all the drinks one wants.
// Machine and customer can also block each other, before a full tray and a full slot.
//
// verdict: violated deadlock, trace
// states: 600
// transitions: 1321
#ifndef COINS
#define COINS 4
#endif
#ifndef PRICE
#define PRICE 1
#endif

mtype = { coin, coffee, tea };

chan slot = [2] of { mtype };
chan tray = [1] of { mtype };
byte credit;

notrace {
  if
  :: tray!_
  :: slot?coin; tray!_; tray!_
  fi
}

active proctype Customer() {
  byte coins = COINS;
  do
  :: coins > 0 ->
     slot!coin;
     coins--
  :: tray?_
  :: coins == 0 && timeout -> break
  od;
  assert(len(slot) == 0 && len(tray) == 0)
}

active proctype Machine() {
  mtype drink;
end:
  do
  :: slot?coin -> credit++
  :: credit >= PRICE ->
     if
     :: drink = coffee
     :: drink = tea
     fi;
     tray!drink
  od
}
