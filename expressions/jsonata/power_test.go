package jsonata

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"toolgraph/expressions/value"
)

// exactlyRaised is x to the power of a whole y from 0, from the exact product.
func exactlyRaised(x float64, y int) float64 {
	exact := big.NewRat(1, 1)
	base := new(big.Rat).SetFloat64(x)
	for range y {
		exact.Mul(exact, base)
	}
	v, _ := exact.Float64()
	return v
}

// raised is r to the power of n.
func raised(r *big.Rat, n int) *big.Rat {
	count := big.NewInt(int64(max(n, -n)))
	out := new(big.Rat).SetFrac(new(big.Int).Exp(r.Num(), count, nil), new(big.Int).Exp(r.Denom(), count, nil))
	if n < 0 {
		out.Inv(out)
	}
	return out
}

// nearest reports whether v is a float64 nearest to x to the power of p/q, by exact comparison of
// the q-th powers of the middles around it.
func nearest(v, x float64, p, q int) bool {
	middle := func(other float64) *big.Rat {
		sum := new(big.Rat).Add(new(big.Rat).SetFloat64(v), new(big.Rat).SetFloat64(other))
		return raised(sum.Quo(sum, big.NewRat(2, 1)), q)
	}
	exact := raised(new(big.Rat).SetFloat64(x), p)
	return middle(math.Nextafter(v, 0)).Cmp(exact) <= 0 && exact.Cmp(middle(math.Nextafter(v, math.MaxFloat64))) <= 0
}

func TestX10PowersAreCorrectlyRounded(t *testing.T) {
	for _, c := range []struct {
		x, y, want float64
	}{
		{1.005, 360, exactlyRaised(1.005, 360)},
		{1.07, 30, exactlyRaised(1.07, 30)},
		{-1.07, 31, -exactlyRaised(1.07, 31)},
		{5e-324, 0.1, 4.6706622762338734e-33},
		{2, 0.5, math.Sqrt2},
		{2, -1074, 5e-324},
		{2, -1075, 0},
		{4, -537.5, 0},
		{0, 0, 1},
		{0, 3, 0},
		{-3, 3, -27},
		{-3, 4, 81},
		{9, 1.5, 27},
		{10, 22, 1e22},
		{10, 308, 1e308},
		{10, -308, 1e-308},
		{10, -320, 1e-320},
		// In the middle: to the even side.
		{134217729, 2, 18014398777917440},
		{262143, 3, exactlyRaised(262143, 3)},
		{262143 * 262143, 1.5, exactlyRaised(262143, 3)},
		{0x1.fffffp-1000, 1, 0x1.fffffp-1000},
		{1, math.NaN(), math.NaN()},
		{1, math.Inf(1), math.NaN()},
		{-1, math.Inf(-1), math.NaN()},
		{-8, 1.0 / 3, math.NaN()},
		{10, 309, math.Inf(1)},
		{0, -1, math.Inf(1)},
		{10, -400, 0},
		{1e300, 1e300, math.Inf(1)},
		{5, math.Inf(-1), 0},
	} {
		if got := correctPower(c.x, c.y); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v to the power of %v is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestX10RandomPowers(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 2026))
	slow := 0
	for range 3_000 {
		x := math.Ldexp(1+random.Float64(), random.IntN(40)-20)
		p, q := random.IntN(60)-30, 1<<random.IntN(4)
		y := float64(p) / float64(q)
		got := correctPower(x, y)
		if !nearest(got, x, p, q) {
			t.Errorf("%v to the power of %v is not %v", x, y, got)
		}
		if math.Pow(x, y) != got {
			slow++
		}
	}
	if slow == 0 {
		t.Error("math.Pow is always right: the test is of no use")
	}
}

// TestX10UndecidedPowers checks that the fast way and the one of many bits agree.
func TestX10UndecidedPowers(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 2026))
	for range 300 {
		x := math.Ldexp(1+random.Float64(), random.IntN(2000)-1000)
		y := (random.Float64()*1400 - 700) / math.Log(x)
		switch random.IntN(3) {
		case 0: // next to 1
			x = 1 + math.Ldexp(float64(1+random.IntN(9)), -52)
			y = (random.Float64()*1400 - 700) / math.Log(x)
		case 1: // a result of fewer than 53 bits
			y = float64(3 + random.IntN(2))
			x = math.Exp2((-1023 - 3*random.Float64()) / y)
		}
		if fast, slow := correctPower(x, y), nearPower(x, y); fast != slow {
			t.Errorf("%v to the power of %v is %v and %v", x, y, fast, slow)
		}
	}
}

func BenchmarkPower(b *testing.B) {
	for _, y := range []float64{2, 30, -360, 0.1} {
		b.Run(value.NumberText(y), func(b *testing.B) {
			for b.Loop() {
				correctPower(1.07, y)
			}
		})
	}
}
