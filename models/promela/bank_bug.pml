// Clerks that move money, as in bank.pml.
// Planted: a clerk locks the account that pays first. Two orders in opposite directions each hold what the
// other needs.
//
// verdict: violated deadlock
// states: 6414
// transitions: 14654
#ifndef CLERKS
#define CLERKS 2
#endif
#ifndef ORDERS
#define ORDERS 3
#endif
#define ACCOUNTS 3
#define HISTORY 2

typedef Entry {
  byte clerk;
  short change
}

typedef Account {
  bool locked;
  short balance = 5;
  Entry last[HISTORY]
}

typedef Order {
  byte from, to;
  short amount
}

Account account[ACCOUNTS];
chan orders = [1] of { Order };
byte finished;

inline lock(a) {
  atomic { !account[a].locked -> account[a].locked = true }
}

// Balances are read and written in two steps.
inline book(a, by) {
  seen = account[a].balance;
  account[a].balance = seen + by;
  d_step {
    account[a].last[1].clerk = account[a].last[0].clerk;
    account[a].last[1].change = account[a].last[0].change;
    account[a].last[0].clerk = _pid;
    account[a].last[0].change = by
  }
}

active [CLERKS] proctype Clerk() {
  Order order;
  short seen;
end:
  do
  :: orders?order;
     lock(order.from);
     lock(order.to);
     book(order.from, -order.amount);
     book(order.to, order.amount);
     account[order.from].locked = false;
     account[order.to].locked = false;
     finished++;
     seen = 0
  od
}

active proctype Customers() {
  Order order;
  byte i;
  short sum;
  for (i : 1 .. ORDERS) {
    order.from = i % ACCOUNTS;
    order.to = (i * 2) % ACCOUNTS;
    order.amount = i;
    if
    :: order.from != order.to
    :: order.from == order.to -> order.to = (order.to + 1) % ACCOUNTS
    fi;
    orders!order
  }
  finished == ORDERS;
  for (i in account) {
    sum = sum + account[i].balance
  }
  assert(sum == 5 * ACCOUNTS)
}
