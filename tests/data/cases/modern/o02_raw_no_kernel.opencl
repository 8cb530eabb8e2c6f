// origin: issue cases
// Comment

// Enables loading of this file using the C++ pre-processor s #include (C++11 standard raw string
// literal). Comment-out this line for syntax-highlighting when developing.
R"(
#if PRECISION == 32
  typedef float real;
#endif
INLINE_FUNC int f() { return get_group_id(0); }
// End
)"
