import { similarName } from './similar-name';

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
