/* A model with about everything of the language in it. */
#define N 3
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define send(channel, what) channel ! \
    what
#if defined(N) && N > 2
#	define LIMIT (N + 1)
#else
#	error too small
#endif

mtype = { request, reply, stop };
mtype:fruit = { apple, pear }
mtype { more };

typedef Point {
    byte x
    short y[2];
    unsigned z : 3
}
typedef Pair { Point left, right; bool on }

byte count = 2 + 3, table[4] = { 1, 2, 3, 4 };
hidden byte scratch;
bit flag;
show int total = -1;
local byte mine;
mtype:fruit favourite = pear;
mtype last = reply;
unsigned small : 4 = 5;
chan link = [2] of { mtype, byte };
chan direct[2] = [0] of { byte };
chan queue = [N] of { mtype:fruit, Pair, chan };
Pair pair;
pid who;

inline swap(first, second) {
    byte temporary;
    temporary = first;
    first = second;
    second = temporary
}

inline twice(first, second) { swap(first, second); swap(second, first) }

inline plus(left, right) { return left + right }

proctype Worker(byte id, extra; chan inbox) provided (count < 200)
{
    mtype kind; byte value
    xr inbox;
    xs link
    end: do
    :: inbox ? value -> count++
    :: inbox ? <value>
    :: link ?? request(value) -> send(link, reply(value))
    :: link ?? <kind, _>
    :: link ? [reply, eval(value)] && len(link) < N -> link ? kind, -1
    :: link !! stop, id
    :: full(link) || nempty(link) && id != 1 -> goto done
    :: timeout -> break
    od unless { flag == 1 }
    d_step { value = 'a'; value--; value = value * 2 / 3 % 4 << 1 >> 1 & 7 | 8 ^ ~ 1 }
accept_it: progress:
    if
    :: value >= 1 -> printf("value %d\n", value, MAX(value, extra))
    :: !(value <= 1) || value == 3;
    :: else
        skip
    fi;
    swap(value, extra); twice(value, pair.left.y[value - 1])
    value = plus(value, 1)
done:
}

D_proctype Idle() { again: skip }

active [2] proctype Looper() priority 2
{
    int i;
    atomic {
        for (i : 0 .. N - 1) { table[i] = i }
        for (i in table) {
            table[i]++
        }
    }
    select (i : 1 .. 9);
    select (i : 0 .. 90);
    select (i : 0 .. LIMIT)
    select (mine : table[0] .. 5);
    { byte j; j = 1; total = j }
    assert(total > 0 && total <
        10);
    pair.right.x = pair.left.y[table[1]]
    printm(last)
    set_priority(_pid, get_priority(_pid) + 1);
    enabled(who) && pc_value(who) > 1 -> total = total
        - 1
    Idle[who]@again && Worker:value == 1 && Worker[1]:value == Idle@again
again: if :: direct[0] ! 1 :: direct[1] ? 2(mine) :: direct[0] ? (mine) fi
}



init priority 3
{
    who = run Worker(1, 2, direct[0]) priority 4;
    run Worker(1, (count > 1 -> 2 : 3), direct[1]);
    _nr_pr == 1 && _last == 0 && _priority == 1
}

never claim {
T0: do
    :: !np_
    :: (Idle[2]@again) -> goto accept_all
    od;
accept_all: skip
}

notrace { do :: link ! request, _ od }

ltl first { [] (count > 0 -> <> (flag == 1)) && (total < 3 U total > 3) }
ltl { always eventually (flag == 0) implies !X (flag == 1) <-> next (flag == 1) || flag == 0 W flag == 1 V flag == 0 }
