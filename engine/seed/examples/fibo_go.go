package inner

import "fmt"

type Fibo struct {
	N     int `json:"n"`
	Value int `json:"fibo"`
}

func main(n int) (Fibo, error) {
	if n < 0 {
		return Fibo{}, fmt.Errorf("n must not be negative, but is %d", n)
	}
	a, b := 0, 1
	for i := 0; i < n; i++ {
		a, b = b, a+b
	}
	fmt.Println("counted to", n)
	return Fibo{N: n, Value: a}, nil
}
