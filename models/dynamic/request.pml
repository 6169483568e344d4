// A client hands the address of its local variable to a server, which stores the answer there, and waits for it.
//
// verdict: holds
// states: 12
// orbits: 12
byte& place;
bool answered;

function ask(byte question) : byte {
  byte answer;
  answer = question;
  place = &answer;
  answered;
  answered = false;
  place = null;
  return answer
}

active proctype Client() {
  byte got;
  got = ask(1);
  assert(got == 2)
}

active proctype Server() {
  place != null;
  *place = *place + 1;
  answered = true
}
