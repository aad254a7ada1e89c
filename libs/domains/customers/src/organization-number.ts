const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2];

/** Whether a text is a Norwegian organisation number: nine digits, the last one a MOD11 check digit. */
export function isOrganizationNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(text[index]), 0);
  return (11 - (sum % 11)) % 11 === Number(text[8]);
}
