// SPDX-License-Identifier: Apache-2.0
// Values of memory as vectors of float and back, rounded to nearest even. Included once per
// instruction set, after Highway.
//
// Highway 1.0 truncates where a processor has no instruction for the conversion, so the 16-bit
// types are converted by hand there.
#if defined(SEXTANT_ROTARY_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SEXTANT_ROTARY_LANES_INL_H
#undef SEXTANT_ROTARY_LANES_INL_H
#else
#define SEXTANT_ROTARY_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace sextant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct FloatLanes {
  using Value = float;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const float* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, float* to) {
    hn::StoreU(v, d, to);
  }
};

// 16 bits per lane, widened to 32 and back. REQUIRES of store: no lane beyond 16 bits.
template <class D>
HWY_INLINE auto load_short(D, const std::uint16_t* from) {
  const hn::Rebind<std::uint16_t, D> narrow;
  return hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), hn::LoadU(narrow, from));
}
template <class D, class V>
HWY_INLINE void store_short(D, V bits, std::uint16_t* to) {
  const hn::Rebind<std::uint16_t, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<D>(), bits)), narrow, to);
}

// The upper half of a float.
struct Bfloat16Lanes {
  using Value = std::uint16_t;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::uint16_t* from) {
    return hn::BitCast(d, hn::ShiftLeft<16>(load_short(d, from)));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, std::uint16_t* to) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff)));
    const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
    const auto kept = hn::IfThenElse(hn::RebindMask(du, hn::Eq(v, v)), rounded, quiet);
    store_short(d, hn::ShiftRight<16>(kept), to);
  }
};

struct HalfLanes {
  using Value = std::uint16_t;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::uint16_t* from) {
    const hn::Rebind<hwy::float16_t, D> narrow;
    return hn::PromoteTo(d, hn::BitCast(narrow, hn::LoadU(hn::Rebind<std::uint16_t, D>(), from)));
  }
  template <class D>
  static HWY_INLINE void store(D, hn::Vec<D> v, std::uint16_t* to) {
    const hn::Rebind<hwy::float16_t, D> half;
    const hn::Rebind<std::uint16_t, D> narrow;
    hn::StoreU(hn::BitCast(narrow, hn::DemoteTo(half, v)), narrow, to);
  }
#else
  // Exponents count from 15 instead of 127. Subnormal halves are whole multiples of 2^-24.
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::uint16_t* from) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto bits = load_short(d, from);
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000)));
    const auto size = hn::And(bits, hn::Set(du, 0x7fff));
    const auto moved = hn::ShiftLeft<13>(size);
    const auto normal = hn::Add(moved, hn::Set(du, 112u << 23));
    const auto beyond = hn::Add(moved, hn::Set(du, 224u << 23));  // infinity and NaN
    const auto tiny =
        hn::BitCast(du, hn::Mul(hn::ConvertTo(d, hn::BitCast(di, size)), hn::Set(d, 0x1p-24f)));
    const auto signed_size = hn::BitCast(di, size);
    const auto is_tiny = hn::RebindMask(du, hn::Lt(signed_size, hn::Set(di, 0x400)));
    const auto is_beyond = hn::RebindMask(du, hn::Gt(signed_size, hn::Set(di, 0x7bff)));
    const auto value = hn::IfThenElse(is_beyond, beyond, hn::IfThenElse(is_tiny, tiny, normal));
    return hn::BitCast(d, hn::Or(value, sign));
  }

  // Adding 1/2 to a size below 2^-14 leaves its multiple of 2^-24, rounded, in the last bits.
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, std::uint16_t* to) {
    const hn::RebindToUnsigned<D> du;
    const auto size = hn::Abs(v);
    const auto bits = hn::BitCast(du, size);
    const auto sign = hn::And(hn::ShiftRight<16>(hn::BitCast(du, v)), hn::Set(du, 0x8000));
    const auto odd = hn::And(hn::ShiftRight<13>(bits), hn::Set(du, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0xfff)));
    const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(du, 112u << 23)));
    const auto tiny = hn::Sub(hn::BitCast(du, hn::Add(size, hn::Set(d, 0.5f))),
                              hn::BitCast(du, hn::Set(d, 0.5f)));
    const auto is_tiny = hn::RebindMask(du, hn::Lt(size, hn::Set(d, 0x1p-14f)));
    const auto overflows = hn::RebindMask(du, hn::Ge(size, hn::Set(d, 65520.0f)));
    auto result = hn::IfThenElse(is_tiny, tiny, normal);
    result = hn::IfThenElse(overflows, hn::Set(du, 0x7c00), result);
    result = hn::IfThenElse(hn::RebindMask(du, hn::Eq(v, v)), result, hn::Set(du, 0x7e00));
    store_short(d, hn::Or(result, sign), to);
  }
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace sextant
HWY_AFTER_NAMESPACE();

#endif
