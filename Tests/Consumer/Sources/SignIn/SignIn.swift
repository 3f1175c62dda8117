package let signInName = "SignIn"
