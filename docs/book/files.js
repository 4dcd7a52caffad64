// Shows the name of each file that a page asks its reader to write: of a block `yaml,file=NAME`.
for (const code of document.querySelectorAll("pre > code")) {
    for (const word of code.classList) {
        if (word.startsWith("file=")) {
            const name = document.createElement("div");
            name.className = "file-name";
            name.textContent = word.slice("file=".length);
            code.parentElement.before(name);
        }
    }
}
