// Insertion sort as one deterministic step, over all arrays of LENGTH numbers below VALUES; a vandal then
// swaps any two of the numbers, again and again, and all is sorted again. What comes out is in order and has
// the same sum as what went in.
//
// verdict: holds
// states: 4294
// transitions: 4900
#ifndef LENGTH
#define LENGTH 4
#endif
#ifndef VALUES
#define VALUES 3
#endif

byte number[LENGTH];
byte sum;
bool sorted;
hidden byte i, j, held; // only used inside of deterministic steps, which set them before

inline sort() {
  i = 1;
  do
  :: i < LENGTH ->
     held = number[i];
     j = i;
     do
     :: j == 0 -> break
     :: j > 0 ->
        if
        :: number[j - 1] > held ->
           number[j] = number[j - 1];
           j--
        :: else -> break
        fi
     od;
     number[j] = held;
     i++
  :: else -> break
  od
}

inline check() {
  held = number[0];
  for (i : 1 .. LENGTH - 1) {
    assert(number[i - 1] <= number[i]);
    held = held + number[i]
  }
  assert(held == sum)
}

init {
  byte k, l, value;
  for (k : 0 .. LENGTH - 1) {
    select (value : 0 .. VALUES - 1);
    number[k] = value;
    sum = sum + value
  }
  do
  :: !sorted ->
     d_step { sort(); sorted = true }
     d_step { check() }
  :: sorted ->
     select (k : 0 .. LENGTH - 1);
     select (l : 0 .. LENGTH - 1);
     value = number[k];
     number[k] = number[l];
     number[l] = value;
     sorted = false;
     k = 0;
     l = 0;
     value = 0
  od
}
