// A vending machine with COINS coins around. The notrace says what must never happen: that the first thing
// the machine does is to give something out before it got a coin, or that one coin buys two drinks.
//
// verdict: holds
// states: 844
// transitions: 1689
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
     credit = credit - PRICE;
     tray!drink
  od
}
