/** GF(256) with x^8 + x^4 + x^3 + x^2 + 1, as in QR codes; the logarithms of its elements. */
const EXP = new Uint8Array(510);
const LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) {
  EXP[i] = x;
  EXP[i + 255] = x;
  LOG[x] = i;
  x = (x << 1) ^ (x & 0x80 ? 0x11d : 0);
}

const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : EXP[LOG[a]! + LOG[b]!]!);
const over = (a: number, b: number): number => (a === 0 ? 0 : EXP[LOG[a]! + 255 - LOG[b]!]!);
const power = (exponent: number): number => EXP[((exponent % 255) + 255) % 255]!;

/** The value of a polynomial; the lowest power comes first. */
function valueAt(polynomial: readonly number[], x: number): number {
  let sum = 0;
  for (let i = polynomial.length - 1; i >= 0; i--) sum = times(sum, x) ^ polynomial[i]!;
  return sum;
}

function product(one: readonly number[], other: readonly number[]): number[] {
  const result = Array.from({ length: one.length + other.length - 1 }, () => 0);
  one.forEach((a, i) => other.forEach((b, j) => (result[i + j]! ^= times(a, b))));
  return result;
}

/** Appends `parity` bytes: up to half as many wrong bytes can be corrected. At most 255 bytes together. */
export function protect(data: Uint8Array, parity: number): Uint8Array {
  let generator = [1];
  for (let i = 0; i < parity; i++) generator = product(generator, [power(i), 1]);
  const rest = new Uint8Array(data.length + parity);
  rest.set(data);
  for (let i = 0; i < data.length; i++) {
    const factor = rest[i]!;
    for (let j = 0; j <= parity; j++) rest[i + j]! ^= times(generator[parity - j]!, factor);
  }
  rest.set(data);
  return rest;
}

/**
 * The data of a block with its wrong bytes corrected. Undefined: too many are wrong.
 * @param doubtful indices of bytes that may be wrong, at most as many as the parity: each costs half of the parity of an unknown wrong byte
 */
export function correct(block: Uint8Array, parity: number, doubtful: readonly number[] = []): Uint8Array | undefined {
  const syndromes = syndromesOf(block, parity);
  const data = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length - parity);
  if (syndromes.every((value) => value === 0)) return data(block);
  const locator = errorLocator(
    syndromes,
    doubtful.map((index) => block.length - 1 - index),
  );
  const errors = locator.length - 1;
  const places = placesOf(locator, block.length);
  if (2 * errors - doubtful.length > parity || places.length !== errors) return undefined;
  const right = Uint8Array.from(block);
  // Forney's algorithm.
  const evaluator = product(syndromes, locator).slice(0, parity);
  const derivative = locator.slice(1).map((value, i) => (i % 2 === 0 ? value : 0));
  for (const place of places) {
    const inverse = power(-place);
    const slope = valueAt(derivative, inverse);
    if (slope === 0) return undefined;
    right[block.length - 1 - place]! ^= times(power(place), over(valueAt(evaluator, inverse), slope));
  }
  return syndromesOf(right, parity).every((value) => value === 0) ? data(right) : undefined;
}

function syndromesOf(block: Uint8Array, parity: number): number[] {
  return Array.from({ length: parity }, (_, i) => block.reduce((sum, byte) => times(sum, power(i)) ^ byte, 0));
}

/** The algorithm of Berlekamp and Massey; `erased`: powers of doubtful bytes, which its result includes. */
function errorLocator(syndromes: readonly number[], erased: readonly number[]): number[] {
  let locator = erased.reduce((polynomial, place) => product(polynomial, [1, power(place)]), [1]);
  let before = locator;
  let length = erased.length;
  let gap = 1;
  let discrepancyBefore = 1;
  for (let n = erased.length; n < syndromes.length; n++) {
    let discrepancy = syndromes[n]!;
    for (let i = 1; i <= length; i++) discrepancy ^= times(locator[i] ?? 0, syndromes[n - i]!);
    if (discrepancy === 0) {
      gap++;
      continue;
    }
    const factor = over(discrepancy, discrepancyBefore);
    const next = locator.slice();
    before.forEach((value, i) => (next[i + gap] = (next[i + gap] ?? 0) ^ times(factor, value)));
    for (let i = 0; i < next.length; i++) next[i] ??= 0;
    if (2 * length <= n + erased.length) {
      length = n + 1 - length + erased.length;
      before = locator;
      discrepancyBefore = discrepancy;
      gap = 1;
    } else gap++;
    locator = next;
  }
  return locator.slice(0, locator.findLastIndex((value) => value !== 0) + 1);
}

/** Powers of the wrong bytes, counted from the last byte. */
function placesOf(locator: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, place) => place).filter((place) => valueAt(locator, power(-place)) === 0);
}
