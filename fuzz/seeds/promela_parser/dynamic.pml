/* What only dynamic programs have. */
typedef Later;
typedef Node { byte key = 1; Node& next; Later& other; byte row[3]; ftype call };
typedef Later { Node&& twice; chan c };
Node& first; byte& number; ftype table[2]; pid child;

function size(Node& at) : byte = (at == null -> 0 : 1 + size(at.next));

function add(Node& at; byte key) : Node& {
  Node& cell = new Node;
  cell.key = key;
  cell.row[key % 3] = *number;
  if :: at != null -> at.next = cell; return at :: else -> return cell fi
}

function idle() { skip }

proctype P(Node& at; ftype f) {
  byte x;
  { byte y = 2; number = &y; *number = x };
  number = &x;
  f(); table[0] = idle; table[0]();
  at = add(at.next, size(first));
  delete at;
  first = null
}

byte row[4]; Later& inside;

init { first = new Node; number = &row[1]; number[1] = 2; number = &first.row[1]; inside = new Later[3]; inside = &inside[1];
  *first = *first.next; inside[1].twice = &first.next; child = run P(first, idle); atomic { number = new byte; delete number } }
