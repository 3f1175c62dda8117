package let formName = "Form"
