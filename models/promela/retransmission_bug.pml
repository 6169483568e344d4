// Stop and wait with retransmission, as in retransmission.pml.
// Planted: a message is sent again only once. If the repetition gets lost as well, all wait.
//
// verdict: violated deadlock
// states: 289
// transitions: 319
#ifndef MESSAGES
#define MESSAGES 5
#endif
#ifndef LOSSES
#define LOSSES 3
#endif

mtype = { message, ack };

chan there = [1] of { mtype, byte };
chan back = [1] of { mtype, byte };
byte arrived, lost;

inline transfer(wire, kind) {
  if
  :: wire!kind(number)
  :: atomic { lost < LOSSES -> lost++ }
  fi
}

active proctype Sender() {
  byte number;
  do
  :: number < MESSAGES ->
     transfer(there, message);
     if
     :: back?ack(eval(number))
     :: timeout ->
        transfer(there, message);
        back?ack(eval(number))
     fi;
     number++
  :: else -> break
  od;
  assert(arrived == MESSAGES)
}

active proctype Receiver() {
  byte number;
end:
  do
  :: there?message(number) ->
     if
     :: number == arrived -> arrived++
     :: else -> assert(number + 1 == arrived)
     fi;
     transfer(back, ack)
  od
}
