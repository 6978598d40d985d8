export const told = (number) => `${number}`;
