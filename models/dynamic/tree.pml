// A search tree without balance, with recursive functions that add a key and count the keys below a node. Each
// process holds the lock of the tree while it adds.
//
// verdict: holds
// states: 171
// orbits: 170
#define KEYS 3

typedef Node {
  byte key;
  Node& left;
  Node& right
};

Node& root;
bool locked;

function size(Node& at) : byte = (at == null -> 0 : 1 + size(at.left) + size(at.right));

function below(Node& at; byte key) : bool =
  (at == null -> true : at.key < key && below(at.left, key) && below(at.right, key));

function above(Node& at; byte key) : bool =
  (at == null -> true : at.key > key && above(at.left, key) && above(at.right, key));

function ordered(Node& at) : bool =
  (at == null -> true :
    below(at.left, at.key) && above(at.right, at.key) && ordered(at.left) && ordered(at.right));

function add(Node& at; byte key) : Node& {
  Node& child;
  if
  :: at == null ->
     at = new Node;
     at.key = key
  :: at != null && key < at.key ->
     child = add(at.left, key);
     at.left = child
  :: at != null && key > at.key ->
     child = add(at.right, key);
     at.right = child
  :: else
  fi;
  return at
}

proctype Adder(byte key) {
  atomic { !locked -> locked = true };
  root = add(root, key);
  locked = false
}

init {
  byte i;
  atomic {
    for (i : 1 .. KEYS) {
      run Adder(i)
    }
  }
}

ltl grows { <> (size(root) == KEYS) }
ltl stays_ordered { [] (locked || ordered(root)) }
