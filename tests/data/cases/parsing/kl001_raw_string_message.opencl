// origin: issue cases
R"(
int helper(int a) { return a; }
float other(float b) { return b * 2.0f; }
)"
