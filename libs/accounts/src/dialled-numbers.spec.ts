import { describe, expect, it } from '@jest/globals';
import { dialledNumber } from './dialled-numbers.js';

describe('the number that a destination dials', () => {
  it.each([
    ['+19005550100', '+19005550100'],
    ['sip:+19005550100@carrier.example', '+19005550100'],
    ['SIP:+1-900-555.0100@carrier.example:5070;transport=tcp', '+19005550100'],
    ['sip:%2B19005550100@carrier.example', '+19005550100'],
    ['sip:+1900%355550100@carrier.example', '+190055550100'],
    ['sip:+1(900)5550100@carrier.example', '+19005550100'],
    ['sip:0019005550100@carrier.example', '+19005550100'],
    ['sip:01119005550100@carrier.example', '+19005550100'],
    ['sip:19005550100@carrier.example', '+19005550100'],
    ['sip:*6719005550100@carrier.example', '+19005550100'],
    ['sip:*67*0019005550100@carrier.example', '+19005550100'],
    ['sip:%2A67%2B19005550100@carrier.example', '+19005550100'],
    ['sip:+19005550100,,123@carrier.example', '+19005550100123'],
    ['sip:+19005550100x12@carrier.example', '+19005550100'],
    ['sip:+19005550100/x@carrier.example', '+19005550100'],
    ['sip:+19005550100;phone-context=x@carrier.example', '+19005550100'],
    ['sip:+1,900,5550100@carrier.example', '+19005550100'],
    ["sip:+1!900'555_0100@carrier.example", '+19005550100'],
    ['sip:%252B19005550100@carrier.example', '+19005550100'],
    ['sip:%25252B19005550100@carrier.example', '+19005550100'],
    ['sip:+1%EF%BC%99005550100@carrier.example', '+19005550100'],
    ['tel:+1-900-555-0100', '+19005550100'],
    ['sips:+19005550100@carrier.example', '+19005550100'],
    ['sip:19005550@carrier.example', '+19005550'],
    ['sip:001900555@carrier.example', '+1900555'],
  ])('%s is %s', (destination, number) => expect(dialledNumber(destination)).toBe(number));

  it.each([
    ['sip:alice@example.com'],
    ['sip:1001@pbx.example'],
    ['sip:5550100@pbx.example'],
    ['sip:room12345678@example.com'],
    ['sip:12345678abc@example.com'],
    ['sip:12345678ABC@example.com'],
    ['sip:+19@example.com'],
    ['sip:+190055@example.com'],
    ['sip:192.168.100.20'],
    ['sip:*97@pbx.example'],
    ['sip:example.com'],
    ['sip:callee-17@127.0.0.1'],
    ['sip:09001234567@pbx.example'],
    [''],
  ])('%s is none', (destination) => expect(dialledNumber(destination)).toBeUndefined());
});
