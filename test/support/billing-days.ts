/** Days of the API that tests start: those of its default time zone, which late in the evening are not those of UTC. */
const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Oslo' });

/** The day (`YYYY-MM-DD`) of a time, now by default. */
export const billingDay = (moment = new Date()): string => format.format(moment);

/** The month (`YYYY-MM`) of a time, now by default. */
export const billingMonth = (moment = new Date()): string => billingDay(moment).slice(0, 7);
