export const celebrate = (text) => (text.endsWith("0") ? `${text}!` : text);
