/** Rows that an export reads at a time: few enough that other customers' reads do not wait for them. */
export const PORTION = 500;
