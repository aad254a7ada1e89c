/**
 * Formats of secrets: our service tokens, keys of our providers and of others, private keys, and passwords within
 * addresses. Each is narrow enough not to match ordinary text, and matches only at the start of a word, so that no text
 * makes the search slow. None matches beyond a quotation mark: a line of JSON stays valid.
 */
const FORMATS = [
  /cas_live_[0-9A-Za-z]{8,}/,
  // Anthropic, and others of that form.
  /(?<![\w-])sk-(?:ant-|(?=[\w-]*\d))[\w-]{16,}/,
  // Stripe: secret, restricted and webhook keys.
  /(?<![\w-])[sr]k_(?:live|test)_\w{8,}/,
  /(?<![\w-])whsec_[\w+/=-]{8,}/,
  // Fiken: a number, a point, the key.
  /(?<![\w.-])\d{6,}\.(?=\w*[A-Za-z])\w{20,}/,
  // JSON Web Tokens; GitHub, GitLab, Slack, AWS, Google, SendGrid.
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/,
  /(?<![\w-])(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,})/,
  /(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,})/,
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[^"]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]*-----|(?="|$))/,
  /(?<![\w-])AGE-SECRET-KEY-1[0-9A-Za-z]+/,
  // The password of `https://user:password@host`.
  /(?<=:\/\/[^\s/@:"]{0,100}:)[^\s/@"]+(?=@)/,
  // Credentials in a header.
  /(?<=(?<!\w)(?:[Bb]earer|[Bb]asic)\s{1,3})(?=\S*[\d+/=])[\w.~+/=-]{16,}/,
];

/** Matches secrets anywhere in a text. */
export const SECRET_FORMATS = new RegExp(FORMATS.map(({ source }) => `(?:${source})`).join('|'), 'g');
