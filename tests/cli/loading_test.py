"""Files of queries and commands that the prompt loads, and what its commands say to whom they do not
understand. They need no store."""

from evq_case import EvqCase, main


class Loading(EvqCase):
    def repl(self, text, status=0):
        return self.evq("repl", input=text, status=status)

    def told(self, text):
        return self.repl(text, status=None)[1]

    def test_errors_say_where_in_the_file(self):
        (self.directory / "l.apl").write_text(
            "// first\nprint a = 1\n\nprint b = 2\n| where\n  c == 3\n.mode nonsense\n"
            "print d = sqrt('x')\n  .explain print e = f\nprint last = 1\n")
        out, errors = self.repl(".load l.apl\n", status=None)
        self.assertIn('{"a":1}', out)
        self.assertIn('{"last":1}', out)
        self.assertIn("--> l.apl:6:3\n", errors)
        self.assertIn(" 6 |   c == 3\n", errors)
        self.assertIn("there is no form 'nonsense'\n   --> l.apl:7:1\n", errors.replace("  -->", "   -->"))
        self.assertIn(" 7 | .mode nonsense\n   | ^^^^^\n", errors)
        self.assertIn("--> l.apl:8:16\n", errors)
        self.assertIn("--> l.apl:9:22\n", errors)
        self.assertNotIn("query:", errors)

    def test_files_that_load_files(self):
        (self.directory / "a.apl").write_text("print 1\n.load b.apl\nprint x\n")
        (self.directory / "b.apl").write_text("\nprint y\n")
        errors = self.told(".load a.apl\n")
        self.assertIn("--> b.apl:2:7\n", errors)
        self.assertIn("--> a.apl:3:7\n", errors)
        (self.directory / "a.apl").write_text("print 1\n.load gone.apl\n")
        self.assertIn("--> a.apl:2:1\n", self.told(".load a.apl\n"))

    def test_explain_and_profile_show_the_place(self):
        for command in (".explain", ".profile"):
            errors = self.told(f"{command} print a = 1 | where b == 2\n")
            self.assertIn("unknown field 'b'", errors)
            self.assertIn("--> query:1:30\n", errors)  # of standard input
            self.assertIn(f" 1 | {command} print a = 1 | where b == 2\n", errors)
            self.assertIn("^", errors)

    def test_null_can_be_empty(self):
        form = ".mode table\n.null {}\nprint a = int(null), b = 1\n"
        self.assertIn("│   │ 1 │", self.repl(form.format("''"))[0])
        self.assertIn("│ - │ 1 │", self.repl(form.format('"-"'))[0])
        self.assertIn("│ ' │ 1 │", self.repl(form.format("'"))[0])
        self.assertIn("null is shown as nothing", self.repl('.null ""\n')[1])

    def test_zones_may_be_offsets(self):
        out = self.repl(".mode table\n.tz +02:00\nprint t = datetime(2024-01-01)\n")[0]
        self.assertIn("2024-01-01T02:00:00+02:00", out)
        self.assertIn("or an offset such as +02:00", self.told(".tz +99:00\n"))

    def test_commands_refuse_arguments_they_do_not_take(self):
        self.assertIn("error: .datasets takes no argument\n  = the fields of one: .schema x\n",
                      self.told(".datasets x\n"))
        self.assertIn("error: .stats takes no argument\n", self.told(".stats all\n"))
        self.repl(".exit 0\n")


if __name__ == "__main__":
    main()
