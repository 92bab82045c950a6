package jsonata

import (
	"math"
	"math/big"
)

// correctPower is x to the power of y, correctly rounded: the float64 next to the exact value, as
// math.Pow is not (its error grows with y). The results that are not finite are JavaScript's.
func correctPower(x, y float64) float64 {
	switch {
	case math.IsNaN(y), math.Abs(x) == 1 && math.IsInf(y, 0):
		return math.NaN()
	case y == 1:
		return x
	case y == 2:
		return x * x
	case y == -1:
		return 1 / x
	case x == 0, x == 1, y == 0, math.IsInf(x, 0), math.IsInf(y, 0), math.IsNaN(x), x < 0 && y != math.Trunc(y):
		return math.Pow(x, y) // exact, or not finite
	case x < 0 && math.Mod(y, 2) != 0:
		return -positivePower(-x, y)
	}
	return positivePower(math.Abs(x), y)
}

// positivePower is correctPower for a finite x above zero. It computes with about 100 bits, which
// decide almost always how to round; nearPower decides the rest.
func positivePower(x, y float64) float64 {
	const mostFactors = 1024
	var v twofold
	var twos int
	if fraction, exponent := aroundOne(x); y == math.Trunc(y) && math.Abs(y) <= mostFactors {
		v, twos = twofoldProduct(fraction, int(y)), exponent*int(y)
	} else {
		log := twofoldLog(fraction, exponent).times(twofold{y, 0})
		switch {
		case log.hi > 710:
			return math.Inf(1)
		case log.hi < -746:
			return 0
		}
		v, twos = twofoldExpm1(log)
		v = exactSum(1, v.hi).plus(twofold{v.lo, 0})
	}
	switch size := twos + math.Ilogb(v.hi); {
	case size < -1080:
		return 0
	case size < -1021: // a subnormal number has fewer bits
		return nearPower(x, y)
	}
	margin := v.hi * 0x1p-88
	rounded := v.hi + (v.lo - margin)
	if rounded != v.hi+(v.lo+margin) {
		return nearPower(x, y)
	}
	return math.Ldexp(rounded, twos)
}

// aroundOne splits x into a fraction, from the root of a half up to that of two, times 2^twos.
func aroundOne(x float64) (fraction float64, twos int) {
	fraction, twos = math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		return fraction * 2, twos - 1
	}
	return fraction, twos
}

// twofold is a number of about 106 bits: hi is the float64 next to it, lo is the rest.
type twofold struct{ hi, lo float64 }

// exactSum is the exact sum of two numbers, the first not smaller than the second.
func exactSum(a, b float64) twofold {
	hi := a + b
	return twofold{hi, b - (hi - a)}
}

func (a twofold) plus(b twofold) twofold {
	hi := a.hi + b.hi
	part := hi - a.hi
	rest := (a.hi - (hi - part)) + (b.hi - part)
	return exactSum(hi, rest+(a.lo+b.lo))
}

func (a twofold) times(b twofold) twofold {
	hi := a.hi * b.hi
	return exactSum(hi, math.FMA(a.hi, b.hi, -hi)+(a.hi*b.lo+a.lo*b.hi))
}

// over divides by a small whole number.
func (a twofold) over(n float64) twofold {
	hi := a.hi / n
	return exactSum(hi, (math.FMA(-hi, n, a.hi)+a.lo)/n)
}

var ln2 = twofold{math.Ln2, 2.319046813846299558e-17}

// twofoldExpm1 splits e^x into 2^twos × (1 + grown).
func twofoldExpm1(x twofold) (grown twofold, twos int) {
	n := math.RoundToEven(x.hi / math.Ln2)
	x = x.plus(ln2.times(twofold{-n, 0}))
	// The series converges fast for a small x: e^x - 1 is computed for x / 512, then doubled.
	const halvings, terms = 9, 9
	x = twofold{x.hi / (1 << halvings), x.lo / (1 << halvings)}
	grown = x.over(terms)
	for i := terms - 1.0; i > 0; i-- {
		grown = x.plus(x.times(grown)).over(i)
	}
	for range halvings {
		grown = twofold{2 * grown.hi, 2 * grown.lo}.plus(grown.times(grown))
	}
	return grown, int(n)
}

// twofoldLog is the natural logarithm of what aroundOne has split.
func twofoldLog(fraction float64, twos int) twofold {
	// One step of Newton's method, from the logarithm as float64: fraction / e^log - 1 is missing.
	log := math.Log(fraction)
	grown, _ := twofoldExpm1(twofold{-log, 0})
	missing := twofold{fraction - 1, 0}.plus(grown.times(twofold{fraction, 0}))
	return ln2.times(twofold{float64(twos), 0}).plus(twofold{log, 0}.plus(missing))
}

// twofoldProduct is x to the power of n, a product of n factors.
func twofoldProduct(x float64, n int) twofold {
	product, square := twofold{1, 0}, twofold{x, 0}
	for left := max(n, -n); ; {
		if left%2 == 1 {
			product = product.times(square)
		}
		if left /= 2; left == 0 {
			break
		}
		square = square.times(square)
	}
	if n >= 0 {
		return product
	}
	inverse := 1 / product.hi
	rest := math.FMA(-inverse, product.hi, 1) - inverse*product.lo
	return exactSum(inverse, inverse*rest)
}

// nearPower is positivePower for results so near to the middle of two float64 that it takes
// more bits to decide which is nearer, and for results in the middle.
func nearPower(x, y float64) float64 {
	if v, ok := exactPower(x, y); ok {
		return v
	}
	// The result is in no middle, so enough bits decide.
	const slack, most = 128, 1 << 13 // the bits that may be wrong; all that are ever needed, by far
	for bits := uint(256); ; bits *= 2 {
		exponent := bigLog(x, bits)
		v := bigExp(exponent.Mul(exponent, big.NewFloat(y)), bits)
		margin := new(big.Float).SetMantExp(v, slack-int(bits))
		below, _ := new(big.Float).Sub(v, margin).Float64()
		above, _ := new(big.Float).Add(v, margin).Float64()
		if below == above || bits >= most {
			return below
		}
	}
}

// exactPower is x to the power of y when it may be in the middle of two float64. That takes a
// whole number of few bits times a power of two: of a whole y, or after square roots without rest.
func exactPower(x, y float64) (v float64, ok bool) {
	fraction, exponent := math.Frexp(x)
	odd := uint64(math.Ldexp(fraction, 53))
	exponent -= 53
	for odd%2 == 0 {
		odd, exponent = odd/2, exponent+1
	}
	for ; y != math.Trunc(y); y *= 2 {
		root := uint64(math.Sqrt(float64(odd)))
		if root*root != odd || exponent%2 != 0 {
			return 0, false
		}
		odd, exponent = root, exponent/2
	}
	if odd == 1 {
		return math.Ldexp(1, exponent*int(y)), true
	}
	const most = 34 // 3^34 has 54 bits
	if y < 0 || y > most {
		return 0, false
	}
	n := new(big.Int).Exp(new(big.Int).SetUint64(odd), big.NewInt(int64(y)), nil)
	exact := new(big.Float).SetInt(n)
	v, _ = exact.SetMantExp(exact, exponent*int(y)).Float64()
	return v, true
}

// bigExp is e^x with bits of precision but for the last few, for |x| up to 1,000.
func bigExp(x *big.Float, bits uint) *big.Float {
	const halvings = 20
	small := new(big.Float).SetPrec(bits).SetMantExp(x, -halvings)
	term := big.NewFloat(1).SetPrec(bits)
	total := new(big.Float).Copy(term)
	for i := 1.0; term.Sign() != 0 && term.MantExp(nil) > -int(bits); i++ {
		term.Mul(term, small)
		term.Quo(term, big.NewFloat(i))
		total.Add(total, term)
	}
	for range halvings {
		total.Mul(total, total)
	}
	return total
}

// bigLog is the natural logarithm of x, with an error of about 2^-bits.
func bigLog(x float64, bits uint) *big.Float {
	target := big.NewFloat(x).SetPrec(bits)
	log := big.NewFloat(math.Log(x)).SetPrec(bits)
	for right := uint(48); right < bits; right *= 3 { // Halley's method triples the right bits
		grown := bigExp(log, bits)
		off := new(big.Float).Sub(target, grown)
		off.Quo(off, grown.Add(grown, target))
		log.Add(log, off.Add(off, off))
	}
	return log
}
