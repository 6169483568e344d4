// A balanced search tree (Adelson-Velsky and Landis 1962) by recursive functions, to which keys come in any order:
// after each insertion it is ordered, and the depths of the two trees below any node differ by one at most.
//
// verdict: holds
// states: 2217
// orbits: 1353
#define KEYS 4

typedef Node {
  byte key;
  byte height;
  Node& left;
  Node& right
};

Node& root;
bool inserted[KEYS];

function max(byte a; byte b) : byte = (a > b -> a : b);

function height(Node& at) : byte = (at == null -> 0 : at.height);

function depth(Node& at) : byte = (at == null -> 0 : 1 + max(depth(at.left), depth(at.right)));

function balanced(Node& at) : bool =
  (at == null -> true :
    depth(at.left) <= depth(at.right) + 1 && depth(at.right) <= depth(at.left) + 1
    && balanced(at.left) && balanced(at.right));

function below(Node& at; byte key) : bool =
  (at == null -> true : at.key < key && below(at.left, key) && below(at.right, key));

function above(Node& at; byte key) : bool =
  (at == null -> true : at.key > key && above(at.left, key) && above(at.right, key));

function ordered(Node& at) : bool =
  (at == null -> true :
    below(at.left, at.key) && above(at.right, at.key) && ordered(at.left) && ordered(at.right));

function measure(Node& at) {
  at.height = 1 + max(height(at.left), height(at.right))
}

function turn_left(Node& at) : Node& {
  Node& up;
  up = at.right;
  at.right = up.left;
  up.left = at;
  measure(at);
  measure(up);
  return up
}

function turn_right(Node& at) : Node& {
  Node& up;
  up = at.left;
  at.left = up.right;
  up.right = at;
  measure(at);
  measure(up);
  return up
}

function insert(Node& at; byte key) : Node& {
  Node& child;
  if
  :: at == null ->
     child = new Node;
     child.key = key;
     child.height = 1;
     return child
  :: at != null && key < at.key ->
     child = insert(at.left, key);
     at.left = child
  :: else ->
     child = insert(at.right, key);
     at.right = child
  fi;
  measure(at);
  if
  :: height(at.left) > height(at.right) + 1 ->
     if
     :: key > at.left.key ->
        child = turn_left(at.left);
        at.left = child
     :: else
     fi;
     child = turn_right(at);
     return child
  :: height(at.right) > height(at.left) + 1 ->
     if
     :: key < at.right.key ->
        child = turn_right(at.right);
        at.right = child
     :: else
     fi;
     child = turn_left(at);
     return child
  :: else
  fi;
  return at
}

active proctype Inserter() {
  byte i;
  byte key;
  do
  :: i < KEYS ->
     select (key : 0 .. KEYS - 1);
     if
     :: !inserted[key] ->
        inserted[key] = true;
        root = insert(root, key);
        assert(ordered(root) && balanced(root));
        i++
     :: else
     fi
  :: else -> break
  od
}
