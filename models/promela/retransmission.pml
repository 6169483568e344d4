// Stop and wait with retransmission on timeout. A message or its acknowledgement gets lost now and then,
// LOSSES times in all; when nothing else can happen the sender sends again. The receiver tells repetitions by
// their number. All MESSAGES arrive.
//
// verdict: holds
// states: 271
// transitions: 316
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
     do
     :: back?ack(eval(number)) ->
        number++;
        break
     :: timeout -> transfer(there, message)
     od
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
