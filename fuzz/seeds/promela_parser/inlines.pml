chan wire = [1] of { byte, bool };
inline put(value, flag) {
    wire ! value(flag)
    sent++
}
inline both(first, second) { put(first, true); put(second, false) }
inline double(v) { return v * 2 }
byte sent;
init {
    byte x
    both(1, x + 1)
    x = double(sent)
    wire ?? <x, _>
    assert(x
        == 1)
}
ltl done { <> (sent == 2) && [] (sent <= 2 -> X true) }
