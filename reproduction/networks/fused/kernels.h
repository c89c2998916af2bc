// Vector arithmetic and the three products of a linear layer, for float and double.
//
// A vector of the network has `hidden` numbers and lies in a row of `padded` numbers, a multiple of the vector width;
// the rest is zero. Weights lie tight: of the last vector of a row only the lanes that belong to it are read.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "layout.h"

namespace fused {

constexpr int kVectorBytes = 32;

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(kVectorBytes)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(kVectorBytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;
template <typename T>
constexpr int width = kVectorBytes / sizeof(T);

template <typename T>
inline Vector<T> load(const T* from) {
  Vector<T> vector;
  std::memcpy(&vector, from, kVectorBytes);
  return vector;
}

template <typename T>
inline void store(T* to, const Vector<T>& vector) {
  std::memcpy(to, &vector, kVectorBytes);
}

/** Stores only the first lanes. */
inline void store(float* to, Vector<float> vector, int lanes) {
  if (lanes == width<float>) return store(to, vector);
  __m128 four = _mm256_castps256_ps128(vector);
  if (lanes & 4) {
    _mm_storeu_ps(to, four);
    to += 4;
    four = _mm256_extractf128_ps(vector, 1);
  }
  if (lanes & 2) {
    _mm_storel_pi(reinterpret_cast<__m64*>(to), four);
    to += 2;
    four = _mm_movehl_ps(four, four);
  }
  if (lanes & 1) _mm_store_ss(to, four);
}
inline void store(double* to, Vector<double> vector, int lanes) {
  if (lanes == width<double>) return store(to, vector);
  for (int lane = 0; lane < lanes; lane++) to[lane] = vector[lane];
}

/** Loads only the first lanes, zeros in the others: nothing behind them is touched. */
inline Vector<float> load(const float* from, int lanes) {
  alignas(kVectorBytes) static const int32_t marks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_maskload_ps(from, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(marks + 8 - lanes)));
}
inline Vector<double> load(const double* from, int lanes) {
  alignas(kVectorBytes) static const int64_t marks[8] = {-1, -1, -1, -1};
  return _mm256_maskload_pd(from, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(marks + 4 - lanes)));
}

// a * b + c, rounded once: every product that is added to something is written with it, and the compiler contracts
// nothing by itself, so that all compilers give the same bits.

inline float mul_add(float a, float b, float c) { return std::fma(a, b, c); }
inline double mul_add(double a, double b, double c) { return std::fma(a, b, c); }
inline Vector<float> mul_add(Vector<float> a, Vector<float> b, Vector<float> c) { return _mm256_fmadd_ps(a, b, c); }
inline Vector<double> mul_add(Vector<double> a, Vector<double> b, Vector<double> c) { return _mm256_fmadd_pd(a, b, c); }

inline Vector<float> everywhere(float number) { return _mm256_set1_ps(number); }
inline Vector<double> everywhere(double number) { return _mm256_set1_pd(number); }

/** 1 - x², a factor of the slope of tanh. */
inline float one_minus_square(float x) { return mul_add(-x, x, 1.0f); }
inline double one_minus_square(double x) { return mul_add(-x, x, 1.0); }
inline Vector<float> one_minus_square(Vector<float> x) { return mul_add(-x, x, everywhere(1.0f)); }
inline Vector<double> one_minus_square(Vector<double> x) { return mul_add(-x, x, everywhere(1.0)); }

template <typename T>
inline int round_up(int count) {
  return (count + width<T> - 1) / width<T> * width<T>;
}

/** Rows of vectors; the memory only grows, and what is in it after growing is not defined. */
template <typename T>
class Rows {
 public:
  explicit Rows(int padded) : padded_(padded) {}
  void need(size_t rows) {
    if (rows * padded_ > vectors_.size() * width<T>) vectors_.resize(rows * padded_ / width<T>);
  }
  T* operator[](size_t row) { return reinterpret_cast<T*>(vectors_.data()) + row * padded_; }
  void clear(size_t rows) {
    need(rows);
    std::fill_n((*this)[0], rows * padded_, T(0));
  }

 private:
  int padded_;
  std::vector<Vector<T>> vectors_;  // aligned, unlike a vector of T
};

/** Takes the gradient of a model's parameters piece by piece, each as soon as it is there. */
template <typename T>
class GradientSink {
 public:
  virtual ~GradientSink() = default;

  /** Room for a piece of so many numbers. */
  T* room(size_t size) {
    room_.need(size / width<T> + 1);
    return room_[0];
  }

  /** Takes the piece that lies in the room: the gradient of the parameters from begin on. */
  virtual void take(size_t begin, size_t size, bool is_weight) = 0;

 private:
  Rows<T> room_{width<T>};
};

/** Writes gradients down where their parameters lie. */
template <typename T>
class GradientWriter : public GradientSink<T> {
 public:
  explicit GradientWriter(T* gradient) : gradient_(gradient) {}
  void take(size_t begin, size_t size, bool) override { std::copy_n(this->room(size), size, gradient_ + begin); }

 private:
  T* const gradient_;
};

// exp(x) - 1 with a relative error near 1e-7, of which tanh and the sigmoid are made: both stay exact near 0.

__attribute__((always_inline)) inline Vector<float> exponential_minus_1(Vector<float> x) {
  typedef int32_t Integers __attribute__((vector_size(kVectorBytes)));
  const Vector<float> zero = {}, most = zero + 87.0f;
  x = x > most ? most : x;  // a NaN is not greater and stays
  x = x < -most ? -most : x;
  const Vector<float> rounder = everywhere(12582912.0f);  // 1.5 * 2^23: a sum with it is rounded to an integer
  const Vector<float> shifted = mul_add(x, everywhere(1.44269504f), rounder);  // the integer is in its last bits
  const Vector<float> power = shifted - rounder;
  const Vector<float> less = mul_add(power, everywhere(-0.693359375f), x);
  const Vector<float> r = mul_add(power, everywhere(2.12194440e-4f), less);  // x - power * ln 2, |r| < 0.35
  Vector<float> series = everywhere(1.0f / 5040);
  for (float next : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f}) series = mul_add(series, r, everywhere(next));
  series = mul_add(series * r, r, r);
  const Vector<float> scale = (Vector<float>)(((Integers)shifted - (0x4B400000 - 127)) << 23);  // 2^power
  return mul_add(scale, series, scale - 1.0f);
}

inline Vector<double> exponential_minus_1(Vector<double> x) {
  for (int lane = 0; lane < width<double>; lane++) x[lane] = std::expm1(x[lane] > 700 ? 700 : x[lane]);
  return x;
}

template <typename V>
inline V sigmoid(V x) {
  return 1 / (2 + exponential_minus_1(-x));
}

template <typename V>
inline V hyperbolic_tangent(V x) {
  const V e = exponential_minus_1(x + x);
  return e / (e + 2);
}

typedef float FourFloats __attribute__((vector_size(16)));

/** The sums over the lanes of each of four vectors. */
inline FourFloats sums_of_lanes(Vector<float> a, Vector<float> b, Vector<float> c, Vector<float> d) {
  const __m256 halves = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
}

inline Vector<double> sums_of_lanes(Vector<double> a, Vector<double> b, Vector<double> c, Vector<double> d) {
  const __m256d low = _mm256_hadd_pd(a, b), high = _mm256_hadd_pd(c, d);
  return _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20), _mm256_permute2f128_pd(low, high, 0x31));
}

/** start + Σ a b, one after the other; only the last products, behind whole groups of four, are not rounded.
 *
 * That is what g++ 12 made of a plain loop when the first results were committed.
 */
template <typename T>
inline T add_products(T start, const T* a, const T* b, int count) {
  const int rounded = count / 4 * 4;
  for (int i = 0; i < rounded; i++) start += a[i] * b[i];
  for (int i = rounded; i < count; i++) start = mul_add(a[i], b[i], start);
  return start;
}

/** Calls body(start, size) for blocks of MOST as long as they fit, then for one smaller block; sizes are constants. */
template <int MOST, typename Body>
inline void in_blocks(int start, int end, const Body& body) {
  for (; start + MOST <= end; start += MOST) body(start, std::integral_constant<int, MOST>{});
  if constexpr (MOST > 1) in_blocks<MOST - 1>(start, end, body);
}

struct Children {
  int at[2];
};

/** y = W [x_1; ...; x_arity] + b for many nodes: what its products, forward and back, work on. */
template <typename T>
struct Linear {
  int hidden, padded, arity;
  int first_gate, last_gate;  // gate by gate, W has `hidden` rows and y has `padded` numbers
  const T* weight;            // (gates * hidden, arity * hidden)
  const T* bias;              // (gates * hidden)
  const int* nodes;           // numbers of the nodes
  int count;
  const Children* children;  // of a node: numbers of its inputs
  const T* inputs;           // (inputs, padded)
  T* outputs;                // (nodes, output_stride): y, on the way back its gradient
  int output_stride;

  void check() const {
    assert(hidden > 0 && padded == round_up<T>(hidden) && (arity == 1 || arity == 2));
    assert(0 <= first_gate && first_gate <= last_gate && last_gate * padded <= output_stride && count >= 0);
  }

  int columns() const { return arity * hidden; }
  const T* input(int node, int child) const { return inputs + size_t(children[node].at[child]) * padded; }
  T* output(int node, int gate) const { return outputs + size_t(node) * output_stride + gate * padded; }
};

/** Zeros in registers; initializing the array would clear memory, and slowly. */
template <typename V, int ROWS, int COLUMNS>
inline void clear(V (&sums)[ROWS][COLUMNS]) {
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) sums[row][column] = V{};
  }
}

template <typename T, int ROWS, int NODES>
inline void multiply_tile(const Linear<T>& layer, int gate, int row, const int* nodes) {
  Vector<T> sums[NODES][4];
  clear(sums);
  const int columns = layer.columns();
  const T* weight = layer.weight + size_t(gate * layer.hidden + row) * columns;
  for (int child = 0; child < layer.arity; child++, weight += layer.hidden) {
    const T* inputs[NODES];
    for (int node = 0; node < NODES; node++) inputs[node] = layer.input(nodes[node], child);
    const auto add_products = [&](int column, const auto& load_weights) {
      Vector<T> x[NODES];
      for (int node = 0; node < NODES; node++) x[node] = load(inputs[node] + column);
      for (int r = 0; r < ROWS; r++) {
        const Vector<T> w = load_weights(weight + r * columns + column);
        for (int node = 0; node < NODES; node++) sums[node][r] = mul_add(w, x[node], sums[node][r]);
      }
    };
    int column = 0;
    for (; column + width<T> <= layer.hidden; column += width<T>) {
      add_products(column, [](const T* from) { return load(from); });
    }
    const int rest = layer.hidden - column;
    if (rest) add_products(column, [=](const T* from) { return load(from, rest); });
  }
  decltype(sums_of_lanes(sums[0][0], sums[0][0], sums[0][0], sums[0][0])) bias = {};
  std::memcpy(&bias, layer.bias + gate * layer.hidden + row, ROWS * sizeof(T));
#pragma GCC unroll 8  // or the sums would be copied to memory to be found by a variable index
  for (int node = 0; node < NODES; node++) {
    const auto y = bias + sums_of_lanes(sums[node][0], sums[node][1], sums[node][2], sums[node][3]);
    std::memcpy(layer.output(nodes[node], gate) + row, &y, ROWS * sizeof(T));
  }
}

/** y = W x + b: four rows with three nodes at a time, so that twelve sums stay in registers. */
template <typename T>
void multiply(const Linear<T>& layer) {
  layer.check();
  for (int gate = layer.first_gate; gate < layer.last_gate; gate++) {
    in_blocks<4>(0, layer.hidden, [&](int row, auto rows) {
      in_blocks<3>(0, layer.count, [&](int node, auto nodes) {
        multiply_tile<T, decltype(rows)::value, decltype(nodes)::value>(layer, gate, row, layer.nodes + node);
      });
    });
  }
}

template <typename T, int NODES, int VECTORS>
inline void input_gradient_tile(const Linear<T>& layer, int gate, int child, int column, const int* nodes,
                                T* d_inputs) {
  Vector<T> sums[NODES][VECTORS];
  clear(sums);
  const T* weight = layer.weight + size_t(gate * layer.hidden) * layer.columns() + child * layer.hidden + column;
  const T* dy[NODES];
  for (int node = 0; node < NODES; node++) dy[node] = layer.output(nodes[node], gate);
  constexpr int last = (VECTORS - 1) * width<T>;
  const int lanes = std::min(layer.hidden - column - last, width<T>);  // of the last vector that are real
  for (int row = 0; row < layer.hidden; row++, weight += layer.columns()) {
    for (int v = 0; v < VECTORS; v++) {
      const Vector<T> w = v < VECTORS - 1 ? load(weight + v * width<T>) : load(weight + last, lanes);
      for (int node = 0; node < NODES; node++) sums[node][v] = mul_add(everywhere(dy[node][row]), w, sums[node][v]);
    }
  }
  for (int node = 0; node < NODES; node++) {  // one after the other: nodes may share a child
    T* dx = d_inputs + size_t(layer.children[nodes[node]].at[child]) * layer.padded + column;
    for (int v = 0; v < VECTORS; v++) store(dx + v * width<T>, load(dx + v * width<T>) + sums[node][v]);
  }
}

/** Adds W' dy to the gradients of the inputs. */
template <typename T>
void input_gradient(const Linear<T>& layer, T* d_inputs) {
  layer.check();
  const int vectors = layer.padded / width<T>;
  for (int gate = layer.first_gate; gate < layer.last_gate; gate++) {
    for (int child = 0; child < layer.arity; child++) {
      in_blocks<3>(0, layer.count, [&](int node, auto nodes) {
        constexpr int most = decltype(nodes)::value == 1 ? 7 : 4;  // few sums at a time would wait for each other
        in_blocks<most>(0, vectors, [&](int v, auto size) {
          input_gradient_tile<T, decltype(nodes)::value, decltype(size)::value>(
              layer, gate, child, v * width<T>, layer.nodes + node, d_inputs);
        });
      });
    }
  }
}

template <typename T, int ROWS, int VECTORS>
inline void weight_gradient_tile(const Linear<T>& layer, int gate, int row, int child, int column, T* gradient) {
  Vector<T> sums[ROWS][VECTORS];
  clear(sums);
  for (int index = 0; index < layer.count; index++) {
    const T* dy = layer.output(layer.nodes[index], gate) + row;
    const T* x = layer.input(layer.nodes[index], child) + column;
    for (int v = 0; v < VECTORS; v++) {
      const Vector<T> x_v = load(x + v * width<T>);
      for (int r = 0; r < ROWS; r++) sums[r][v] = mul_add(everywhere(dy[r]), x_v, sums[r][v]);
    }
  }
  constexpr int last = (VECTORS - 1) * width<T>;
  const int lanes = std::min(layer.hidden - column - last, width<T>);
#pragma GCC unroll 8  // as above
  for (int r = 0; r < ROWS; r++) {
    T* to = gradient + size_t(row + r) * layer.columns() + child * layer.hidden + column;
    for (int v = 0; v < VECTORS - 1; v++) store(to + v * width<T>, sums[r][v]);
    store(to + last, sums[r][VECTORS - 1], lanes);
  }
}

/** dW of a gate, the sum of dy x' over all nodes, summed up in registers and written once. */
template <typename T>
void weight_gradient(const Linear<T>& layer, int gate, T* gradient) {
  const int vectors = layer.padded / width<T>;
  for (int child = 0; child < layer.arity; child++) {
    in_blocks<4>(0, vectors, [&](int v, auto size) {
      in_blocks<3>(0, layer.hidden, [&](int row, auto rows) {
        weight_gradient_tile<T, decltype(rows)::value, decltype(size)::value>(
            layer, gate, row, child, v * width<T>, gradient);
      });
    });
  }
}

/** db of a gate, the sum of dy over all nodes. */
template <typename T>
void bias_gradient(const Linear<T>& layer, int gate, T* gradient) {
  std::fill_n(gradient, layer.hidden, T(0));
  for (int index = 0; index < layer.count; index++) {
    const T* dy = layer.output(layer.nodes[index], gate);
    for (int row = 0; row < layer.hidden; row++) gradient[row] += dy[row];
  }
}

/** Gives the gradients of the layer's gates to the sink, one gate's weights or biases a piece. */
template <typename T>
void layer_gradient(const Linear<T>& layer, size_t weights_begin, size_t biases_begin, GradientSink<T>& sink) {
  layer.check();
  const size_t size = size_t(layer.hidden) * layer.columns();
  for (int gate = layer.first_gate; gate < layer.last_gate; gate++) {
    weight_gradient(layer, gate, sink.room(size));
    sink.take(weights_begin + gate * size, size, true);
    bias_gradient(layer, gate, sink.room(layer.hidden));
    sink.take(biases_begin + gate * layer.hidden, layer.hidden, false);
  }
}

}  // namespace fused
