// Insertion sort as one deterministic step, as in sorting.pml.
// Planted: the outer loop ends one too early and leaves the last number where it is.
//
// verdict: violated assertion
// states: 6296
// transitions: 7127
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
  :: i < LENGTH - 1 ->
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
