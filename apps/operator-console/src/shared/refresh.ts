/** A change that was made elsewhere is seen within five seconds. */
export const REFRESH_MS = 4_000;
