/* A list of N nodes, and two processes that go round it: heap.bir in dynamic Promela. Each step writes one node or
   moves one process, however long the list is: what a step costs must not depend on N. With N large there are more
   states than anybody wants to wait for: use --max-states. */
#ifndef N
#define N 10
#endif

typedef Node {
  unsigned value : 2;
  Node& next
};

Node& first;

proctype Walker() {
  Node& at;
  at = first;
  do
  :: at.value = (at.value + 1) % 4;
     at = at.next
  od
}

init {
  Node& last;
  Node& node;
  int i;
  d_step {
    first = new Node;
    last = first;
    i = 1;
    do
    :: i < N ->
       node = new Node;
       last.next = node;
       last = node;
       i++
    :: else -> break
    od;
    last.next = first;
    last = null;
    node = null
  };
  atomic {
    run Walker();
    run Walker()
  }
}
