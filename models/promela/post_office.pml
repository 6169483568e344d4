// A post office with one box. Senders put letters in; the postman takes letters for Oslo from anywhere in the
// box and others from its front; an auditor goes through the box and leaves it as it was, and finds no letter
// more or less than were put in and not yet taken.
//
// verdict: holds
// states: 16926
// transitions: 57985
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef LETTERS
#define LETTERS 2 // by sender
#endif
#ifndef BOX
#define BOX 2
#endif

mtype:town = { rome, oslo };

typedef Letter {
  mtype:town town;
  byte sender
}

chan box = [BOX] of { Letter };
byte inside, audits;
show byte delivered;

active [SENDERS] proctype Sender() {
  byte sent;
  do
  :: sent < LETTERS ->
     atomic {
       if
       :: box!rome, _pid
       :: box!oslo, _pid
       fi;
       inside++;
       sent++
     }
  :: else -> break
  od
}

active proctype Postman() {
  byte sender;
  do
  :: delivered < SENDERS * LETTERS ->
     atomic {
       if
       :: box??oslo, sender
       :: box?rome, sender
       fi;
       inside--;
       delivered++;
       printf("a letter of %d\n", sender);
       sender = 0
     }
  :: else -> break
  od;
  assert(empty(box) && inside == 0)
}

active proctype Auditor() {
  Letter letter;
  byte letters;
  do
  :: delivered < SENDERS * LETTERS ->
     atomic {
       for (letter in box) {
         letters++;
         assert(letter.sender < SENDERS)
       }
       assert(letters == inside);
       letters = 0;
       letter.sender = 0;
       audits = (audits + 1) % 2
     }
  :: else -> break
  od
}
