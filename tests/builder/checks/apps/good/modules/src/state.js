let counted = 0;
export const count = () => counted;
export const next = () => { counted += 1; };
