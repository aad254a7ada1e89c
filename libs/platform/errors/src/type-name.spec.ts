import { typeName } from './type-name';

describe('the name of a value’s type', () => {
  it.each([
    [null, 'null'],
    [[], 'an array'],
    [{}, 'an object'],
    ['', 'a string'],
    [0, 'a number'],
    [false, 'a boolean'],
  ])('of %j is %s', (value, name) => expect(typeName(value)).toBe(name));
});
