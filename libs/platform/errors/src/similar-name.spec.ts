import { nearMisses, similarName } from './similar-name';

describe('a similar name', () => {
  it.each([
    ['amount_nok', 'amountNok'],
    ['amount_nok', 'amount'],
    ['amount_nok', 'AMOUNT_NOK'],
    ['amount_nok', 'ammount_nok'],
    ['message', 'mesage'],
    ['messages', 'message'],
    ['title', 'titel'],
    ['to', 'TO'],
  ])('to %s is %s', (wanted, name) => expect(similarName(wanted, ['x', name])).toBe(name));

  it.each([
    ['to', 'from'],
    ['to', 'recipient'],
    ['body', 'note'],
    ['title', 'customer_id'],
    ['message', 'm'],
    ['message', 'message'.repeat(10)],
  ])('to %s is not %s', (wanted, name) => expect(similarName(wanted, [name])).toBeUndefined());
});

describe('near misses', () => {
  const known = ['amount_nok', 'limit', 'title'];

  it.each([
    ['titel', 'limit', 'foo'],
    ['AmountNok', 'x'],
    ['per_page', 'y'],
  ])('are %s, beside names that are known or like none', (...names) => {
    expect(nearMisses(names, known)).toEqual(names.slice(0, 1));
  });

  it('are never long: they are listed in a header', () => {
    const name = `title${'æ'.repeat(100)}`;
    expect(nearMisses([name, 'titleæ'], known)).toEqual(['titleæ']);
  });

  it('are never identifiers of a customer', () =>
    expect(nearMisses(['customer_title'], ['customer_name'])).toEqual([]));
});
