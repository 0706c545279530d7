// Runs every rung of the ladder, with both types, on shapes that divide into tiles and on shapes that do not, and compares
// each element. The numbers are whole and small: sums are exact, in whatever order.
#include "gemm.hpp"

#include "../example.hpp"

namespace {

struct Extents {
  int m, n, k;
};

constexpr int pitch(int row) { return (row + 7) / 8 * 8; }  // of rows that begin at multiples of 16 bytes

// Whole numbers from -2 to 2, and in the gap behind each row what no result may have met.
template <class T> example::Array<T> matrix(int rows, int columns, unsigned seed) {
  example::Array<T> a(std::size_t(rows) * pitch(columns));
  std::mt19937      random(seed);
  for (std::size_t i = 0; i < a.host.size(); ++i)
    a.host[i] = int(i % pitch(columns)) < columns ? T(float(int(random() % 5) - 2)) : T(1000.f);
  a.upload();
  return a;
}

template <class T> int run(const char* type, Extents e) {
  const auto         a = matrix<T>(e.m, e.k, 1), b = matrix<T>(e.n, e.k, 2);
  std::vector<float> x(a.host.begin(), a.host.end()), y(b.host.begin(), b.host.end()), product, result;
  for (int i = 0; i < e.m; ++i)
    for (int j = 0; j < e.n; ++j) {
      float sum = 0;
      for (int k = 0; k < e.k; ++k) sum += x[std::size_t(i) * pitch(e.k) + k] * y[std::size_t(j) * pitch(e.k) + k];
      product.push_back(float(T(sum)));
    }

  int failed = 0;
  for (int rung = 1; rung <= gemm::rungs; ++rung) {
    auto c = matrix<T>(e.m, e.n, 3);
    gemm::plan<T>(rung, {e.m, e.n, e.k, a.device, b.device, c.device, pitch(e.k), pitch(e.k), pitch(e.n)})(nullptr);
    c.download();
    char name[80];
    std::snprintf(name, sizeof name, "gemm %s, %s, %d x %d x %d", gemm::rung_names[rung], type, e.m, e.n, e.k);
    result.clear();
    for (int i = 0; i < e.m; ++i)
      result.insert(result.end(), &c.host[std::size_t(i) * pitch(e.n)], &c.host[std::size_t(i) * pitch(e.n) + e.n]);
    failed |= example::verify(name, result, [&](std::size_t i) { return product[i]; });
  }
  return failed;
}

}  // namespace

int main() {
  return example::main([] {
    int failed = 0;
    for (const Extents e : {Extents{384, 512, 256}, Extents{300, 333, 100}, Extents{1, 8, 1}}) {
      failed |= run<__nv_bfloat16>("bf16", e);
      failed |= run<__half>("fp16", e);
    }
    return failed;
  });
}
