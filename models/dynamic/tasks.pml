// Workers take functions and their arguments from a channel, the most urgent ones first, and call them. A task may
// put another one into the channel.
//
// verdict: holds
// states: 41
// orbits: 41
typedef Account { byte balance; bool closed };

chan tasks = [3] of { byte, ftype, Account& };
Account& account;
byte done;

function pay(Account& into) {
  assert(!into.closed);
  into.balance = into.balance + 2;
  done++
}

function close(Account& which) {
  which.closed = true;
  done++
}

function audit(Account& which) {
  assert(which.balance <= 4);
  tasks!!3,close,which;
  done++
}

proctype Worker() {
  ftype task; Account& on; byte urgency;
end:
  do
  :: tasks?urgency,task,on -> task(on); task = null; on = null; urgency = 0
  od
}

init {
  atomic {
    account = new Account;
    tasks!!2,audit,account;
    tasks!!1,pay,account;
    tasks!!1,pay,account;
    run Worker()
  };
  done == 4;
  assert(account.balance == 4 && account.closed)
}
