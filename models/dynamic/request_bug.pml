// The question of request.pml.
// Planted: the client does not wait. Its variable may be gone when the server stores the answer.
//
// verdict: violated dangling-local
// states: 15
// orbits: 15
byte& place;
bool answered;

function ask(byte question) : byte {
  byte answer;
  answer = question;
  place = &answer;
  return answer
}

active proctype Client() {
  byte got;
  got = ask(1);
  assert(got == 1 || got == 2)
}

active proctype Server() {
  place != null;
  *place = *place + 1;
  answered = true
}
