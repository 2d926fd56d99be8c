/** Whether a response says which network a server is for, or that it names none: one that is busy or broken says neither. */
export const saysNetwork = ({ status }: Response): boolean => status < 429;
