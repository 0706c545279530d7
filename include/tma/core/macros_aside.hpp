// What prologue.hpp does at the beginning of an include chain.
#if defined(__CUDACC_RTC__)  // it has no push_macro
#  if defined(a) || defined(b) || defined(c) || defined(d) || defined(e) || defined(f) || defined(g) || defined(h) || \
      defined(i) || defined(j) || defined(k) || defined(l) || defined(m) || defined(n) || defined(o) || defined(p) || \
      defined(q) || defined(r) || defined(s) || defined(t) || defined(u) || defined(v) || defined(w) || defined(x) || \
      defined(y) || defined(z) || defined(A) || defined(B) || defined(C) || defined(D) || defined(E) || defined(F) || \
      defined(G) || defined(H) || defined(I) || defined(J) || defined(K) || defined(L) || defined(M) || defined(N) || \
      defined(O) || defined(P) || defined(Q) || defined(R) || defined(S) || defined(T) || defined(U) || defined(V) || \
      defined(W) || defined(X) || defined(Y) || defined(Z) || defined(abs) || defined(check) || defined(count) ||     \
      defined(error) || defined(in) || defined(index) || defined(major) || defined(max) || defined(min) ||            \
      defined(minor) || defined(offset) || defined(out) || defined(rank) || defined(size) || defined(swap) || defined(test)
#    error \
        "tma: NVRTC cannot put macros aside, and one with a name that the library uses (a single letter, check, min, max, \
...) is defined before the include. Fix: define it after the last include of tma, or give it a longer name"
#  endif
#else
#  if defined(__GNUC__)
// Warnings about a compiler's own ways, where a program asks for them and has these headers by -I: an array whose bound is a
// template parameter of type int; an enumerator of an enum class that has the name of a type; [[nodiscard]] auto, of which
// nvcc's host pass makes void.
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wsign-conversion"
#    pragma GCC diagnostic ignored "-Wshadow"
#    pragma GCC diagnostic ignored "-Wattributes"
#  endif
#  pragma push_macro("a")
#  undef a
#  pragma push_macro("b")
#  undef b
#  pragma push_macro("c")
#  undef c
#  pragma push_macro("d")
#  undef d
#  pragma push_macro("e")
#  undef e
#  pragma push_macro("f")
#  undef f
#  pragma push_macro("g")
#  undef g
#  pragma push_macro("h")
#  undef h
#  pragma push_macro("i")
#  undef i
#  pragma push_macro("j")
#  undef j
#  pragma push_macro("k")
#  undef k
#  pragma push_macro("l")
#  undef l
#  pragma push_macro("m")
#  undef m
#  pragma push_macro("n")
#  undef n
#  pragma push_macro("o")
#  undef o
#  pragma push_macro("p")
#  undef p
#  pragma push_macro("q")
#  undef q
#  pragma push_macro("r")
#  undef r
#  pragma push_macro("s")
#  undef s
#  pragma push_macro("t")
#  undef t
#  pragma push_macro("u")
#  undef u
#  pragma push_macro("v")
#  undef v
#  pragma push_macro("w")
#  undef w
#  pragma push_macro("x")
#  undef x
#  pragma push_macro("y")
#  undef y
#  pragma push_macro("z")
#  undef z
#  pragma push_macro("A")
#  undef A
#  pragma push_macro("B")
#  undef B
#  pragma push_macro("C")
#  undef C
#  pragma push_macro("D")
#  undef D
#  pragma push_macro("E")
#  undef E
#  pragma push_macro("F")
#  undef F
#  pragma push_macro("G")
#  undef G
#  pragma push_macro("H")
#  undef H
#  pragma push_macro("I")
#  undef I
#  pragma push_macro("J")
#  undef J
#  pragma push_macro("K")
#  undef K
#  pragma push_macro("L")
#  undef L
#  pragma push_macro("M")
#  undef M
#  pragma push_macro("N")
#  undef N
#  pragma push_macro("O")
#  undef O
#  pragma push_macro("P")
#  undef P
#  pragma push_macro("Q")
#  undef Q
#  pragma push_macro("R")
#  undef R
#  pragma push_macro("S")
#  undef S
#  pragma push_macro("T")
#  undef T
#  pragma push_macro("U")
#  undef U
#  pragma push_macro("V")
#  undef V
#  pragma push_macro("W")
#  undef W
#  pragma push_macro("X")
#  undef X
#  pragma push_macro("Y")
#  undef Y
#  pragma push_macro("Z")
#  undef Z
#  pragma push_macro("abs")
#  undef abs
#  pragma push_macro("check")
#  undef check
#  pragma push_macro("count")
#  undef count
#  pragma push_macro("error")
#  undef error
#  pragma push_macro("in")
#  undef in
#  pragma push_macro("index")
#  undef index
#  pragma push_macro("major")
#  undef major
#  pragma push_macro("max")
#  undef max
#  pragma push_macro("min")
#  undef min
#  pragma push_macro("minor")
#  undef minor
#  pragma push_macro("offset")
#  undef offset
#  pragma push_macro("out")
#  undef out
#  pragma push_macro("rank")
#  undef rank
#  pragma push_macro("size")
#  undef size
#  pragma push_macro("swap")
#  undef swap
#  pragma push_macro("test")
#  undef test
#endif
